"""Lowest plays the first legal action, so it never bids."""

from arena.bot import Action, View, run


def choose(view: View) -> Action:
    return view.legal_actions[0]


if __name__ == "__main__":
    run(choose, name="lowest", max_in_flight=128)
