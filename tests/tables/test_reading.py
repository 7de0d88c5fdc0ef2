"""How cells are read: one interpretation for each column, stated; what two interpretations fit is refused."""

import json
import sys
from datetime import date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dgpexp.datasets.catalog import find
from dgpexp.datasets.kept import description_path
from dgpexp.errors import UserError
from dgpexp.estimators.frames import Columns
from dgpexp.tables.dates import formats_of, settle
from dgpexp.tables.new_rows import read_inputs
from dgpexp.tables.own_table import OwnTable, read_own
from dgpexp.tables.reading import Rules
from tests.tables.hostile import as_parquet
from tests.tables.test_own_table import ROWS, WORDS, table

SMALL_AND_LARGE = ["2,751" if i % 2 else "318" for i in range(ROWS)]
GERMAN = ["4.956" if i % 2 else "318" for i in range(ROWS)]
COMMAS = [f"{i},5" for i in range(ROWS)]


def column(own: OwnTable, name: str = "c") -> list[float]:
    return own.values[:, own.dataset.features.index(name)].tolist()


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("name", ["c", "y"])
def test_a_comma_that_may_group_thousands_is_not_taken_for_a_decimal_mark(
    tmp_path: Path, separator: str, name: str
) -> None:
    path = table(tmp_path / "t.csv", separator, **{name: SMALL_AND_LARGE})
    sentence = rf"column '{name}' of .*: 2,751 may be 2751 or 2\.751; say --decimal ',' or --thousands ','"
    with pytest.raises(UserError, match=sentence):
        read_own(path, "y")
    for rules, value in ((Rules(decimal=[f"{name}=,"]), 2.751), (Rules(thousands=[","]), 2751.0)):
        own = read_own(path, "y", task="regression", rules=rules)
        assert (own.values[1, -1] if name == "y" else column(own)[1]) == value
        assert any(f"column '{name}'" in note and f"2,751 read as {value:g}" in note for note in own.notes)


def test_a_german_point_beside_decimal_commas_is_no_decimal_point(tmp_path: Path) -> None:
    mixed = ["4.956" if i % 2 else f"{i},5" for i in range(ROWS)]
    own = read_own(table(tmp_path / "t.csv", ";", c=mixed), "y")
    assert column(own)[1] == 4956 and column(own)[2] == 2.5
    assert "column 'c': decimal comma, thousands point, 0,5 read as 0.5." in own.notes
    path = table(tmp_path / "t.csv", ";", b=COMMAS, c=GERMAN, y=[f"{i},0" for i in range(ROWS)])
    with pytest.raises(UserError, match=r"column 'c' of .*: 4.956 may be 4.956 or 4956; say --decimal '.' or --thous"):
        read_own(path, "y")
    assert column(read_own(path, "y", rules=Rules(decimal=[","])))[1] == 4956
    english = read_own(table(tmp_path / "t.csv", c=GERMAN), "y")
    assert column(english)[1] == 4.956, "a file of commas has points"
    assert "column 'c': decimal point, 4.956 read as 4.956; if it is 4956, say --thousands 'c=.'." in english.notes


def test_numbers_that_no_single_convention_has_are_refused_with_the_odd_one(tmp_path: Path) -> None:
    mixed = ["3.5" if i == 7 else f"{i},25" for i in range(ROWS)]
    with pytest.raises(
        UserError, match=r"line 9, column 'c': '3\.5' is not written as the other numbers of the column .decimal comma"
    ):
        read_own(table(tmp_path / "t.csv", ";", c=mixed), "y")


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (['"1,5"'] * 3 + ['"2,25"'] * (ROWS - 3), 1.5),
        (['"1,234,567"'] + ['"2,345,678"'] * (ROWS - 1), 1234567.0),
        (["1 234.5"] + ["7"] * (ROWS - 1), 1234.5),
        (["1'234.5"] + ["7"] * (ROWS - 1), 1234.5),
        (["1\u202f234"] + ["7"] * (ROWS - 1), 1234.0),
        (["\u22121.5", "3"] * (ROWS // 2), -1.5),  # the minus of typesetters
        (["+1e3", ".5", "5."] + ["-7"] * (ROWS - 3), 1000.0),
    ],
)
def test_what_leaves_no_doubt_is_read(tmp_path: Path, cells: list[str], first: float) -> None:
    assert column(read_own(table(tmp_path / "t.csv", c=cells), "y"))[0] == first


def test_underscores_and_other_alphabets_are_no_numbers(tmp_path: Path) -> None:
    for cells in (["1_2", "1_3"] * (ROWS // 2), ["٣", "٤"] * (ROWS // 2), ["0x1", "0x2"] * (ROWS // 2)):
        assert read_own(table(tmp_path / "t.csv", c=cells), "y").dataset.levels == {"c": tuple(sorted(set(cells)))}


def test_a_digit_of_another_alphabet_among_numbers_is_named(tmp_path: Path) -> None:
    for name in ("c", "y"):
        with pytest.raises(UserError, match=rf"line 5, column '{name}': '٣' is not a number"):
            read_own(table(tmp_path / "t.csv", **{name: ["٣" if i == 3 else f"{i}.5" for i in range(ROWS)]}), "y")


@pytest.mark.parametrize(
    "labels", [("01", "1"), ("00501", "501"), ("9007199254740992", "9007199254740993"), ("1_2", "12"), ("1e1", "10")]
)
def test_labels_keep_their_names_and_stay_apart(tmp_path: Path, labels: tuple[str, str]) -> None:
    own = read_own(table(tmp_path / "t.csv", y=[labels[i % 2] for i in range(ROWS)]), "y", task="classification")
    assert own.dataset.classes == tuple(sorted(labels))
    assert [own.dataset.classes[int(k)] for k in own.values[:2, -1]] == list(labels)


def test_an_unclosed_quote_is_refused_with_its_line(tmp_path: Path) -> None:
    rows = [f"{i},x,{i}" for i in range(40)]
    for broken in ({25: '25,"x,25'}, {20: '20,"x,20', 30: '30,"x,30'}, {20: '20,"x,20', 30: '30,x",30'}):
        text = "a,b,y\n" + "\n".join(broken.get(i, row) for i, row in enumerate(rows)) + "\n"
        for path in (tmp_path / "t.csv", tmp_path / "new.csv"):
            path.write_text(text)
        line = min(broken) + 2
        with pytest.raises(UserError, match=rf"line {line}\b"):
            read_own(tmp_path / "t.csv", "y")
        with pytest.raises(UserError, match=rf"line {line}\b"):
            read_inputs(tmp_path / "new.csv", ("a",), {}, None, {})
    with pytest.raises(UserError, match="the quotes in line 3 are wrong"):
        (tmp_path / "t.csv").write_text('a,y\n1,2\n"1"2,3\n' + "1,2\n" * 30)
        read_own(tmp_path / "t.csv", "y")


def test_a_cell_may_have_line_breaks_of_its_own(tmp_path: Path) -> None:
    text = "note,a,y\n" + "".join(f'"two\nlines, or so",{i % 5},{i}\n' for i in range(30))
    (tmp_path / "t.csv").write_text(text)
    assert len(read_own(tmp_path / "t.csv", "y", ["note"]).values) == 30


def test_test_rows_and_new_rows_are_read_as_the_training_rows_were(tmp_path: Path) -> None:
    train, test = table(tmp_path / "t.csv", ";", c=COMMAS, y=[f"{i},5" for i in range(ROWS)]), tmp_path / "new.csv"
    test.write_text("a;b;c;y\n1;2.0;2,751;1,234\n")
    own = read_own(train, "y", (), test)
    assert own.values[-1].tolist() == [1, 2, 2.751, 1.234], "as the training file has it, decimal commas"
    about = (own.dataset.features, own.dataset.levels, None, own.dataset.reading)
    assert own.dataset.reading == {name: {"decimal": ","} for name in ("c", "y")}, "b has points in this file"
    test.write_text("a;b;c;y\n1;2;2.5;1,5\n")
    with pytest.raises(
        UserError, match=r"line 2, column 'c': '2.5' is not written as the training rows are .decimal comma"
    ):
        read_own(train, "y", (), test)
    with pytest.raises(UserError, match=r"line 2, column 'c': '2.5' is not written as the training rows"):
        read_inputs(test, *about)
    x, _, _ = read_inputs(test, *about, rules=Rules(decimal=["c=."]))
    assert x.tolist() == [[1, 2, 2.5]]
    test.write_text("a;b;c;y\n1;2;2.751;1,5\n")
    with pytest.raises(UserError, match=r"'2.751' is not written as the training rows"):
        read_inputs(test, *about)


def test_a_model_of_an_older_version_reads_new_rows_that_leave_no_doubt(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("a;sold\n1,5;2026-03-31\n2;2026-04-01\n")
    x, _, notes = read_inputs(path, ("a", "sold.month"), {})
    assert x.tolist() == [[1.5, 3], [2, 4]] and "older version" in notes[0] and "1,5 read as 1.5" in notes[1]
    path.write_text("a;sold\n2,751;2026-03-31\n2;2026-04-01\n")
    with pytest.raises(UserError, match=r"2,751 may be 2751 or 2.751"):
        read_inputs(path, ("a", "sold.month"), {})


def test_a_table_keeps_its_reading_and_is_the_same_table_in_any_writing(tmp_path: Path) -> None:
    points = read_own(table(tmp_path / "t.csv", c=[f"{i}.5" for i in range(ROWS)]), "y")
    commas = read_own(table(tmp_path / "t.csv", ";", c=COMMAS), "y")
    assert points.dataset == commas.dataset and points.dataset.reading == {}
    for own in (points, commas):
        own.keep()
        kept = find(own.dataset.name)
        assert kept == own.dataset and kept.reading == own.dataset.reading


@pytest.mark.parametrize("damage", ["{", "[]", '{"name": "t"}', "features"])
def test_a_damaged_description_is_named_and_no_run_is_blamed(tmp_path: Path, damage: str) -> None:
    own = read_own(table(tmp_path / "t.csv"), "y")
    own.keep()
    path = description_path(own.dataset.name)
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, "features": ["b", "a"]}) if damage == "features" else damage)
    with pytest.raises(UserError, match=r"json is damaged, though the runs on .* are not: `dgpexp run csv FILE"):
        find(own.dataset.name)
    own.keep()
    assert find(own.dataset.name) == own.dataset


def test_options_are_checked(tmp_path: Path) -> None:
    for wrong, sentence in (
        ({"decimal": [";"]}, "--decimal ; is not possible"),
        ({"thousands": ["c=x"]}, "--thousands c=x is not possible"),
        ({"date_format": ["%Q"]}, "'%Q' is none"),
        ({"date_format": ["%d/%m"]}, "it needs a year"),
    ):
        with pytest.raises(UserError, match=sentence):
            Rules(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"--decimal q=,: .* has no column 'q'"):
        read_own(table(tmp_path / "t.csv"), "y", rules=Rules(decimal=["q=,"]))
    with pytest.raises(UserError, match=r"column 'c' of .* cannot be read with --decimal ,"):
        read_own(table(tmp_path / "t.csv", c=[f"{i}.25" for i in range(ROWS)]), "y", rules=Rules(decimal=[","]))


# ---- dates


def test_what_is_no_date_is_none() -> None:
    for cell in ("9857.63", "today", "now", "2026-02-30", "24:30", "1.2.3.4", "May", "12"):
        assert formats_of(cell) == (), cell


def test_prices_are_numbers_and_not_dates(tmp_path: Path) -> None:
    own = read_own(table(tmp_path / "t.csv", c=[f"98{i:02d}.63" for i in range(ROWS)]), "y", dates=True)
    assert "c" in own.dataset.features and column(own)[0] == 9800.63


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (["Jan-20", "Feb-20"], r"Jan-20 may be written as %b-%d .a day of no year. or %b-%y .2020-01-01."),
        (["3/4/2026", "31/3/2026", "3/31/2026"], "written in two ways"),
        (["2026-03-01", "2026-03-01 12:30"], "written in two ways"),
        (["2026-03-01 12:30", "2026-03-01 12:30+02:00"], "written in two ways"),
    ],
)
def test_dates_that_two_formats_fit_or_none_are_refused(tmp_path: Path, cells: list[str], sentence: str) -> None:
    days = [cells[i % len(cells)] for i in range(ROWS)]
    with pytest.raises(UserError, match=rf"column 'sold' of .*{sentence}.*--date-format"):
        read_own(table(tmp_path / "t.csv", sold=days), "y", dates=True)


def test_today_among_dates_is_refused(tmp_path: Path) -> None:
    days = ["today" if i == 3 else f"2026-03-0{1 + i % 3}" for i in range(ROWS)]
    with pytest.raises(UserError, match="line 5, column 'sold': 'today' is not a date, but most of the column are"):
        read_own(table(tmp_path / "t.csv", sold=days), "y", dates=True)


def test_a_format_that_is_said_decides(tmp_path: Path) -> None:
    days = [f"{1 + i % 12}/3/2026" for i in range(ROWS)]
    path = table(tmp_path / "t.csv", sold=days)
    for format, month in (("%d/%m/%Y", 3.0), ("%m/%d/%Y", 5.0)):
        own = read_own(path, "y", rules=Rules(date_format=[f"sold={format}"]))
        got = column(own, "sold.month")[4] if "sold.month" in own.dataset.features else 3.0
        assert got == month
        assert own.dataset.reading == {"sold": {"date": format}}
        assert any(f"({format}: 1/3/2026 read as 2026-0" in note for note in own.notes)
    months = table(tmp_path / "t.csv", sold=[f"Jan-{10 + i % 12}" for i in range(ROWS)])
    assert column(read_own(months, "y", rules=Rules(date_format=["%b-%y"])), "sold.year")[0] == 2010
    compact = table(tmp_path / "t.csv", sold=[f"202603{1 + i:02d}" for i in range(ROWS)])
    assert any("--date-format 'sold=%Y%m%d'" in note for note in read_own(compact, "y").notes)
    assert column(read_own(compact, "y", rules=Rules(date_format=["sold=%Y%m%d"])), "sold.weekday")[0] == 6


def test_zones_are_said(tmp_path: Path) -> None:
    days = [f"2026-03-{1 + i:02d} 00:30+02:00" for i in range(ROWS)]
    own = read_own(table(tmp_path / "t.csv", sold=days), "y", dates=True)
    assert any("2026-03-01 00:30+02:00 read as 2026-02-28 22:30:00 UTC" in note for note in own.notes)


def test_new_dates_are_read_in_the_format_of_the_training_rows(tmp_path: Path) -> None:
    own = read_own(table(tmp_path / "t.csv", sold=[f"{1 + i}/3/2026" for i in range(ROWS)]), "y", dates=True)
    new = tmp_path / "new.csv"
    new.write_text("a,b,sold\n1,2,4/5/2026\n")
    about = (own.dataset.features, own.dataset.levels, None, own.dataset.reading)
    x, _, _ = read_inputs(new, *about)
    assert x[0, own.dataset.features.index("sold.weekday")] == date(2026, 5, 4).weekday()
    new.write_text("a,b,sold\n1,2,today\n")
    with pytest.raises(UserError, match=r"'today' is not written as the dates of the training rows are .%d/%m/%Y"):
        read_inputs(new, *about)


def test_the_two_orders_are_settled_by_the_whole_column() -> None:
    assert settle(["3/4/2026", "31/3/2026"]) == ("%d/%m/%Y", "") and settle(["3/4/2026", "3/31/2026"])[0] == "%m/%d/%Y"


# ---- other files, other tables


def test_parquet_has_types_of_its_own(tmp_path: Path) -> None:
    n = 30
    content = {
        "a": np.arange(n) % 7 * 1.5,
        "zip": pd.Series([["01", "1"][i % 2] for i in range(n)]).astype("category"),
        "on": [bool(i % 2) for i in range(n)],
        "sold": [datetime(2026, 3, 1 + i) for i in range(n)],
        "y": np.arange(n) * 2,
    }
    import pyarrow as pa

    path = as_parquet({name: pa.array(values) for name, values in content.items()}, tmp_path / "t.parquet")
    own = read_own(path, "y", dates=True)
    assert own.dataset.features == ("a", "zip=1", "on=True", "sold.year", "sold.weekday")
    assert own.values[3, 0] == 4.5 and own.values[:2, 1].tolist() == [0, 1]
    about = (own.dataset.features, own.dataset.levels, None, own.dataset.reading)
    assert np.array_equal(read_inputs(path, *about)[0], own.values[:, :-1])


def test_parquet_keeps_nanoseconds_that_no_date_needs(tmp_path: Path) -> None:
    import pyarrow as pa

    moments = [1_700_000_000_123_456_789 + i * 86_400 * 10**9 for i in range(30)]
    path = as_parquet({"sold": pa.array(moments, pa.timestamp("ns")), "y": np.arange(30.0)}, tmp_path / "t.parquet")
    assert column(read_own(path, "y", dates=True), "sold.weekday")[:3] == [1, 2, 3]


def test_a_target_beyond_2_53_is_read_with_a_word(tmp_path: Path) -> None:
    own = read_own(table(tmp_path / "t.csv", y=[9007199254740993 + 3 * i for i in range(ROWS)]), "y")
    assert any("column 'y' has whole numbers beyond 2^53, which are rounded" in note for note in own.notes)


def test_categories_of_numbers_are_levels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"kind": pd.Categorical([1, 2, 3] * 10), "size": np.arange(30.0)})
    frame.assign(y=frame["size"] ** 2).to_parquet(tmp_path / "t.parquet")  # which itself keeps words alone as levels
    assert read_own(tmp_path / "t.parquet", "y").dataset.levels == {"kind": ("1", "2", "3")}
    columns = Columns.learn(frame)
    assert columns.features == ("kind=1", "kind=2", "kind=3", "size") and columns.levels == {"kind": ("1", "2", "3")}
    assert columns.encode(frame.iloc[:2]).tolist() == [[1, 0, 0, 0], [0, 1, 0, 1]]
    with pytest.raises(ValueError, match=r"2,751 may be 2751 or 2.751"):
        Columns.learn(pd.DataFrame({"a": SMALL_AND_LARGE, "w": WORDS}))


def test_everything_that_is_wrong_with_a_file_is_said_at_once(tmp_path: Path) -> None:
    path = table(
        tmp_path / "t.csv",
        ";",
        a=["", *range(1, ROWS)],
        c=SMALL_AND_LARGE,
        d="2026-01-02",
        e=[f"id{i}" for i in range(ROWS)],
    )
    with pytest.raises(UserError) as refused:
        read_own(path, "y")
    said = str(refused.value)
    assert (
        "1 missing cell" in said and "may be 2751 or 2.751" in said and "has dates" in said and "24 different" in said
    )


@pytest.mark.parametrize(("values", "sentence"), [(1e200, "is too large"), (1e-200, "varies by")])
def test_numbers_that_cannot_be_scaled_are_refused(tmp_path: Path, values: float, sentence: str) -> None:
    for name in ("c", "y"):
        with pytest.raises(UserError, match=sentence):
            read_own(table(tmp_path / "t.csv", **{name: [i * values for i in range(ROWS)]}), "y")


def test_control_characters_in_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has control characters in it"):
        read_own(table(tmp_path / "t.csv", **{"\x1b[31mred": 1}), "y")
    with pytest.raises(UserError, match="has control characters in it"):
        read_own(table(tmp_path / "t.csv", c=["\x1b[31mred", "blue"] * (ROWS // 2)), "y")


def test_names_with_marks_in_them_do_not_mislead_about_the_separator(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Preis, EUR;Fläche, m2;y\n" + "".join(f"{i},5;{i},25;{i}\n" for i in range(30)))
    with pytest.raises(UserError, match="may be separated by commas or semicolons"):
        read_own(path, "y")
    path.write_text("Preis, EUR;Fläche;y\n" + "".join(f"{i},5;{i},25;{i}\n" for i in range(30)))
    assert read_own(path, "y").dataset.features == ("Preis, EUR", "Fläche")


def test_few_rows_of_a_number_are_not_taken_for_classes(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", y=[i % 8 for i in range(ROWS)])
    with pytest.raises(
        UserError, match="8 different whole numbers in 24 rows, which may be classes or a quantity: say"
    ):
        read_own(path, "y")
    assert read_own(path, "y", task="regression").dataset.classes == ()


def calls(columns: int, path: Path) -> int:
    """How many calls it takes to read a table of so many columns; and none of them looks at all columns' cells."""
    rng, count = np.random.default_rng(0), 0
    lines = [",".join([*(f"c{j}" for j in range(columns)), "y"])]
    lines += [",".join(f"{v:.3f}" for v in row) for row in rng.normal(size=(25, columns + 1))]
    path.write_text("\n".join(lines))

    def one_more(frame: object, event: str, what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(one_more)
    try:
        own = read_own(path, "y")
    finally:
        sys.setprofile(before)
    assert len(own.dataset.features) == columns
    return count


def test_five_thousand_columns_are_no_matter_of_squares(tmp_path: Path) -> None:
    few, some, many = (calls(columns, tmp_path / "t.csv") for columns in (50, 100, 200))
    assert many - some < 2.2 * (some - few), "the cost of a column does not grow with their number"
    assert many - some < 100 * 400, "a column costs at most 400 calls"
