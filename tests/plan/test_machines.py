"""What N machines would give, by hand: 1 ms and 0.05 ms a row, a gradient of 1 MB."""

import pytest

from dgpexp.cli import dry_run
from dgpexp.config import RunSpec, Settings
from dgpexp.plan import machines
from dgpexp.plan.machines import StepCost, lines, measured

COST = StepCost(fixed=1.0, per_row=0.05, bytes=1_000_000)
BATCH = RunSpec(dataset="sincos", method="vi", layers=2, split=0, settings=Settings(batch_size=1000, shards=4))


def test_one_machine_exchanges_nothing():
    assert COST.ms(1000, 1, 1) == COST.ms(1000, 1, 10) == pytest.approx(51.0)


def test_four_machines_compute_a_quarter_and_receive_three_gradients():
    """1 + 0.05 · 250 = 13.5 ms; 4.4 + 0.8 · 3 = 6.8 ms; 24 Mbit at 940 Mbit/s are 25.53 ms, at 9,400 Mbit/s 2.55."""
    assert COST.ms(1000, 4, 1) == pytest.approx(13.5 + 6.8 + 25.532, abs=1e-3)
    assert COST.ms(1000, 4, 10) == pytest.approx(13.5 + 6.8 + 2.553, abs=1e-3)
    assert COST.ms(1001, 4, 10) == pytest.approx(COST.ms(1000, 4, 10) + 0.05)  # the machine with one row more


def test_workers_that_wait_for_nobody_share_the_line_of_their_server():
    """100 rows: 6 ms alone; a MB is received in 0.8 + 8 / (0.94 · 10) = 1.651 ms, a turn takes 13.702."""
    assert COST.between_updates(100, 1, 10) == pytest.approx(6.0)
    assert COST.between_updates(100, 4, 10) == pytest.approx(13.702 / 4, abs=1e-3)
    assert COST.between_updates(100, 20, 10) == COST.between_updates(100, 40, 10) == pytest.approx(1.651, abs=1e-3)


def test_the_line_goes_through_both_measurements():
    cost = StepCost.of_two((25, 3.0), (100, 6.0), 8)
    assert (cost.fixed, cost.per_row) == pytest.approx((2.0, 0.04))
    assert (
        StepCost.of_two((25, 6.0), (100, 6.0), 8) == StepCost.of_two((25, 7.0), (100, 6.0), 8) == StepCost(6.0, 0.0, 8)
    )
    assert StepCost.of_two((1, 0.001), (2, 4.0), 8) == StepCost(0.0, 2.0, 8)  # no step of 0 rows is faster than nothing
    assert StepCost.of_two((1, 4.0), (1, 4.0), 8) == StepCost(4.0, 0.0, 8)


def test_who_would_be_slower_is_warned():
    assert COST.warning(1000, 4) == ""  # 45.8 ms for 51
    slow = COST.warning(100, 4)  # 34.6 ms at 1 Gbit/s and 11.6 at 10, for 6 alone
    assert "4 machines would be slower than one: larger minibatches" in slow and slow.startswith("At 10 Gbit/s")
    middle = StepCost(1.0, 0.2, 1_000_000).warning(100, 4)  # 38.3 and 15.4, for 21
    assert "At 1 Gbit/s 4 machines would be slower than one; at 10 Gbit/s they would be faster" in middle
    assert COST.warning(100, 1) == ""


def test_the_lines_show_both_networks_for_1_to_32_machines():
    head, counts, slow, times, fast, _ = lines(BATCH, 4, measure=lambda spec: COST)
    assert "takes 1.0 ms + 50 µs a row here (measured), its gradient has 1 MB" in head and "(modelled)" in head
    assert counts.split() == ["machines", "1", "2", "4", "8", "16", "32"]
    assert slow.split()[2:6] == ["ms", "51.0", "39.7", "45.8"]
    assert times.split()[3:6] == ["1.0", "1.3", "1.1"] and fast.split()[5] == "22.9"


@pytest.mark.parametrize(
    ("changes", "workers", "said"),
    [({}, 1, None), ({}, 3, 3), ({"shards": 4}, 1, 4), ({"shards": 4, "updates": "async"}, 4, None)],
)
def test_a_dry_run_says_it_where_workers_or_shards_are_asked_for(monkeypatch, changes, workers, said):
    """Virtual workers are no machines."""
    monkeypatch.setattr(machines, "lines", lambda spec, count: [f"{count} machines"])
    run = RunSpec(dataset="sincos", method="vi", layers=2, split=0, settings=Settings(**changes))
    assert dry_run._machines([run], workers)[1:] == ([f"{said} machines"] if said else [])


def test_what_is_measured_is_a_step_alone():
    cost = measured(RunSpec(dataset="sincos", method="rff", layers=1, split=0, settings=Settings(features=3, shards=2)))
    assert cost.fixed + 100 * cost.per_row > 0
    weights = 2 * 3 * 2  # mean and deviation of a weight for each of 3 cosines and 3 sines
    assert cost.bytes >= 8 * (weights + 1)
