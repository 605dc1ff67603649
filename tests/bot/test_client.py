from __future__ import annotations

import asyncio
import itertools

import pytest

from arena.bot import Action, Notice, NoticeKind, Table, TableResult, View
from arena.bot.client import HOLD_BACK_S, BotCrash
from arena.bot.stream import End, StreamEnded
from arena.rules.view import view_of
from arena.v1 import referee_pb2
from arena.wire.game import deal_to_end, decision_to_message
from tests.bot.fakes import LOST, SHUTDOWN, WELCOME, Item, frame, new_deal, start, world


def first(view: View) -> Action:
    return view.legal_actions[0]


async def first_later(view: View) -> Action:
    await asyncio.sleep(0)
    return view.legal_actions[0]


def test_the_first_message_is_a_hello_and_nothing_else() -> None:
    here = world([WELCOME])
    asyncio.run(here.client(first).play())
    (request,) = here.streams[0].written
    assert request.hello.name == "tester"
    assert request.hello.version == "7"
    assert request.hello.max_in_flight == 5
    assert request.hello.protocol_version == 1
    assert request.hello.sdk.startswith("arena-python/")
    assert not request.answers


@pytest.mark.parametrize("choose", [first, first_later])
def test_every_decision_of_a_frame_is_answered_in_one_message(choose: object) -> None:
    here = world([WELCOME, frame(1, 2, 3), frame(4), SHUTDOWN])
    asyncio.run(here.client(choose).play())  # type: ignore[arg-type]
    sent = [sorted(message) for message in here.streams[0].answers]
    assert sent == [[(1, 1), (2, 1), (3, 1)], [(4, 1)]]
    assert here.streams[0].is_closed


def test_a_frame_without_decisions_needs_no_answer() -> None:
    here = world([WELCOME, referee_pb2.PlayResponse(table_starts=[start(1)]), SHUTDOWN])
    asyncio.run(here.client(first).play())
    assert here.streams[0].answers == []


def test_a_slow_function_holds_back_no_answer_that_is_ready() -> None:
    here = world([WELCOME, frame(1, 2, 3, 4)])

    def slow(view: View) -> Action:
        here.now += HOLD_BACK_S * 0.6
        return view.legal_actions[0]

    asyncio.run(here.client(slow).play())
    assert here.streams[0].answers == [[(1, 1), (2, 1)], [(3, 1), (4, 1)]]


def test_a_coroutine_thinks_about_all_decisions_of_a_frame_at_once() -> None:
    here = world([WELCOME, frame(1, 2, 3)])
    waiting: list[View] = []
    everybody = asyncio.Event()

    async def together(view: View) -> Action:
        waiting.append(view)
        if len(waiting) == 3:
            everybody.set()
        await everybody.wait()
        return view.legal_actions[1]

    asyncio.run(here.client(together).play())
    assert sorted(itertools.chain(*here.streams[0].answers)) == [(1, 2), (2, 2), (3, 2)]


def test_a_coroutine_that_is_slow_holds_back_no_answer_that_is_ready() -> None:
    here = world([WELCOME, frame(1, 2, 3)])
    stream = here.streams[0]

    async def slow_first(view: View) -> Action:
        if view.random_seed == 1:
            await stream.has_answers.wait()
        return view.legal_actions[0]

    asyncio.run(here.client(slow_first).play())
    assert stream.answers == [[(2, 1), (3, 1)], [(1, 1)]]


def test_an_answer_may_be_an_action_a_card_or_a_number() -> None:
    deal = new_deal()
    for action in (Action.BID_BRANDELN, Action.PASS, Action.PASS, Action.PASS):
        deal.push(action)
    deal.push(Action.DECLARE_BRANDELN_CLUBS)
    question = decision_to_message(view_of(deal, deal.turn), decision_id=5, table=1)
    asked = referee_pb2.PlayResponse(decisions=[question])
    for choose in (
        lambda view: view.legal_actions[2],
        lambda view: view.legal_cards[2],
        lambda view: view.hand[2],
        lambda view: int(view.legal_actions[2]),
    ):
        here = world([WELCOME, asked])
        asyncio.run(here.client(choose).play())
        assert here.streams[0].answers == [[(5, deal.legal_actions()[2])]]


@pytest.mark.parametrize("answer", [None, "PASS", True, 2**40])
@pytest.mark.parametrize("is_async", [False, True])
def test_an_answer_that_is_none_is_the_bots_failure(answer: object, is_async: bool) -> None:
    async def later(_view: View) -> object:
        return answer

    here = world([WELCOME, frame(1)])
    choose = later if is_async else lambda _view: answer
    with pytest.raises(BotCrash, match=r"choose\(View\(seat=") as caught:
        asyncio.run(here.client(choose).play())  # type: ignore[arg-type]
    assert isinstance(caught.value.__cause__, (TypeError, ValueError))
    assert here.streams[0].is_closed


@pytest.mark.parametrize("is_async", [False, True])
def test_an_exception_in_choose_ends_the_bot_and_keeps_its_cause(is_async: bool) -> None:
    def broken(view: View) -> Action:
        raise ZeroDivisionError(view.seat)

    async def broken_later(view: View) -> Action:
        await asyncio.sleep(0)
        return broken(view)

    here = world([WELCOME, frame(1, 2), frame(3)])
    with pytest.raises(BotCrash) as caught:
        asyncio.run(here.client(broken_later if is_async else broken).play())
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert here.streams[0].is_closed


def test_a_lost_stream_is_opened_again_and_its_decision_answered() -> None:
    here = world([WELCOME, frame(1), LOST], [WELCOME, frame(1, 2), SHUTDOWN])
    asyncio.run(here.client(first).play())
    assert here.streams[1].answers == [[(1, 1), (2, 1)]]
    assert here.streams[1].written[0].HasField("hello")
    assert all(stream.is_closed for stream in here.streams)


def test_waits_between_attempts_grow_and_the_bot_gives_up_a_referee_that_is_gone() -> None:
    here = world([WELCOME, frame(1), LOST])
    with pytest.raises(StreamEnded) as caught:
        asyncio.run(here.client(first).play())
    assert caught.value.end is End.LOST
    assert here.naps[:6] == [0.05, 0.1, 0.2, 0.4, 0.8, 1.0]
    assert set(here.naps[6:]) == {1.0}
    assert 4 <= sum(here.naps) <= 5


def test_waits_are_short_again_after_each_success() -> None:
    short: list[Item] = [WELCOME, LOST]
    here = world(*[short] * 40, [WELCOME, SHUTDOWN])
    asyncio.run(here.client(first).play())
    assert set(here.naps) == {0.05}


def test_a_referee_that_is_not_there_yet_is_waited_for() -> None:
    here = world(*[[LOST]] * 8, [WELCOME, SHUTDOWN])
    asyncio.run(here.client(first).play())
    assert here.opened == 9
    assert here.said == ["no referee at its address yet, trying for 10 s"]
    nobody = world()
    with pytest.raises(StreamEnded):
        asyncio.run(nobody.client(first).play())
    assert len(nobody.said) == 1


def test_after_the_shutdown_notice_any_end_is_a_good_one() -> None:
    here = world([WELCOME, SHUTDOWN, LOST])
    asyncio.run(here.client(first).play())
    assert here.opened == 1


def test_decisions_after_the_shutdown_notice_are_still_answered() -> None:
    here = world([WELCOME, SHUTDOWN, frame(8), LOST])
    asyncio.run(here.client(first).play())
    assert here.streams[0].answers == [[(8, 1)]]


@pytest.mark.parametrize("end", [End.REFUSED, End.UNKNOWN, End.REPLACED, End.EXPELLED])
def test_who_is_sent_away_does_not_come_back(end: End) -> None:
    here = world([StreamEnded(end, "no")])
    with pytest.raises(StreamEnded, match="no"):
        asyncio.run(here.client(first).play())
    assert here.opened == 1


@pytest.mark.parametrize("item", [b"\xff\xff\xff", frame(1)])
def test_a_stream_that_does_not_begin_with_a_welcome_is_no_referee(item: object) -> None:
    here = world([item])  # type: ignore[list-item]
    with pytest.raises(StreamEnded, match=r"arena\.v1") as caught:
        asyncio.run(here.client(first).play())
    assert caught.value.end is End.REFUSED


def test_a_view_knows_its_table() -> None:
    seen: list[tuple[Table, int, int]] = []

    def look(view: View) -> Action:
        seen.append((view.table, view.move_ms, view.bank_ms))
        return view.legal_actions[0]

    opening = frame(1, table=9)
    opening.table_starts.append(start(9, seat=2))
    here = world([WELCOME, opening])
    asyncio.run(here.client(look).play())
    ((table, move_ms, bank_ms),) = seen
    assert (table.id, table.seat, table.players) == (9, 2, ("a", "b", "c", "d"))
    assert (move_ms, bank_ms) == (1000, 2000)


def test_callbacks_hear_of_tables_and_notices_once() -> None:
    deal = new_deal()
    while not deal.is_over:
        deal.push(deal.legal_actions()[0])
    end = referee_pb2.TableEnd(table=9)
    deal_to_end(deal, end)
    late = referee_pb2.Notice(
        kind=referee_pb2.Notice.KIND_FAULT,
        fault=referee_pb2.FAULT_KIND_TIMEOUT,
        table=9,
        late_ms=30,
    )
    begun = referee_pb2.PlayResponse(table_starts=[start(9)])
    started: list[Table] = []
    ended: list[TableResult] = []
    told: list[Notice] = []
    here = world(
        [WELCOME, begun, LOST],
        [WELCOME, begun, referee_pb2.PlayResponse(table_ends=[end], notices=[late])],
    )
    client = here.client(
        first, on_table_start=started.append, on_table_end=ended.append, on_notice=told.append
    )
    asyncio.run(client.play())
    assert [table.id for table in started] == [9]
    (result,) = ended
    assert result.table == started[0]
    assert result.deal is not None
    assert result.deal.hands == deal.hands
    assert result.deal.points == deal.points
    assert [(notice.kind, notice.fault, notice.late_ms) for notice in told] == [
        (NoticeKind.FAULT, "TIMEOUT", 30)
    ]


@pytest.mark.parametrize("name", ["on_table_start", "on_table_end", "on_notice"])
def test_an_exception_in_a_callback_is_the_bots_failure(name: str) -> None:
    def broken(_news: object) -> None:
        raise KeyError(name)

    everything = referee_pb2.PlayResponse(
        table_starts=[start(9)],
        table_ends=[referee_pb2.TableEnd(table=9, is_void=True)],
        notices=[referee_pb2.Notice(kind=referee_pb2.Notice.KIND_BENCHED)],
    )
    here = world([WELCOME, everything])
    with pytest.raises(BotCrash, match=name):
        asyncio.run(here.client(first, **{name: broken}).play())  # type: ignore[arg-type]


def test_notices_are_printed_unless_they_are_asked_for() -> None:
    benched = referee_pb2.Notice(kind=referee_pb2.Notice.KIND_BENCHED, detail="too many faults")
    here = world([WELCOME, referee_pb2.PlayResponse(notices=[benched]), SHUTDOWN])
    asyncio.run(here.client(first).play())
    assert here.said == ["arena.bot: benched: too many faults"]


def test_a_notice_of_the_future_is_passed_on() -> None:
    odd = referee_pb2.Notice(detail="?")
    odd.kind = 77  # type: ignore[assignment]
    told: list[Notice] = []
    here = world([WELCOME, referee_pb2.PlayResponse(notices=[odd]), SHUTDOWN])
    asyncio.run(here.client(first, on_notice=told.append).play())
    assert told[0].kind is NoticeKind.OTHER
