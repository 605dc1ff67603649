"""Random plays any legal action, drawn from the seed it is given: the same in every language."""

from arena.bot import Action, View, run


def choose(view: View) -> Action:
    legal = view.legal_actions
    return legal[(view.random_seed + view.action_count) % len(legal)]


if __name__ == "__main__":
    run(choose, name="random", max_in_flight=128)
