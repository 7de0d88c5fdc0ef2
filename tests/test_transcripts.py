"""Transcripts in the documents are made again by running their commands."""

from tools.transcripts import remade, runner, shortened

PRINTED = (
    "a: step 5 of 9 (sweep: about 2 s left)\n" + "".join(f"[{k}/5] a split {k}\n" for k in range(1, 6)) + "5 runs.\n"
)


def test_commands_are_run_once_and_their_output_replaced(tmp_path) -> None:
    text = "Text\n\n```\n$ echo new; echo x >> ran\nold\n$ true\n```\n\n```\nnot a transcript\n```\n"
    run = runner(tmp_path)
    for _ in range(2):
        text = remade(text, run)
    assert text == "Text\n\n```\n$ echo new; echo x >> ran\nnew\n$ true\n```\n\n```\nnot a transcript\n```\n"
    assert (tmp_path / "ran").read_text() == "x\n"


def test_progress_and_most_runs_are_left_out() -> None:
    assert shortened(PRINTED).splitlines() == ["[1/5] a split 1", "[2/5] a split 2", "...", "5 runs."]
