import random

from orgd.resolve import Pauses


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def pauses(clock: Clock, seed: int = 1) -> Pauses:
    return Pauses(30, clock, random.Random(seed).uniform)


def test_nothing_waits_before_the_first_request() -> None:
    assert pauses(Clock()).left() <= 0


def test_pauses_are_within_their_bounds() -> None:
    clock = Clock()
    p = pauses(clock)
    p.begin(down=False, retry_after=0)
    assert 0 <= p.left() <= 36
    for _ in range(1000):
        p.begin(down=False, retry_after=0)
        assert 24 <= p.left() <= 36
        p.begin(down=True, retry_after=0)
        assert 32 <= p.left() <= 48
        assert p.left(hurry=True) <= 0
        p.begin(down=True, retry_after=100)
        assert 100 <= p.left() <= 120
        assert p.left(hurry=True) == p.left()


def test_a_thousand_that_start_together_spread() -> None:
    clock = Clock()
    all_of_them = [pauses(clock, seed) for seed in range(1000)]
    asked: dict[int, int] = {}
    for second in range(300):
        clock.now = 1000.0 + second
        for p in all_of_them:
            if p.left() <= 0:
                p.begin(down=True, retry_after=0)
                asked[second] = asked.get(second, 0) + 1
    assert asked.pop(0) == 1000
    assert max(asked.values()) <= 60
    assert max(sum(asked.get(s, 0) for s in range(at, at + 10)) for at in range(1, 290)) <= 400
