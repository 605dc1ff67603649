"""A league file says what is played, and nothing in it is overlooked."""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.league import config
from arena.league.bots import Bot, digest
from arena.league.config import League, Setting, load_league, seed_of, settings
from arena.league.config_schema import LeagueFile, RulesetTable, config_schema
from arena.league.lock import config_sha256, decides
from arena.league.match import match_league
from arena.league.schedule import Play
from arena.league.units import format_duration, format_size, parse_duration, parse_size
from arena.rules.ruleset import BRANDELN

BOTS = '[[bot]]\nbot = "greedy"\n[[bot]]\nbot = "cautious"\n[[bot]]\nbot = "random"\n'
MINIMAL = f'[league]\nname = "autumn"\n{BOTS}'


@pytest.fixture
def samples(tmp_path: Path) -> dict[str, Path]:
    folder = tmp_path / "samples"
    folder.mkdir()
    found = {}
    for name in ("cautious", "greedy", "lowest", "random"):
        found[name] = folder / f"{name}.py"
        found[name].write_text(f"# {name}\n")
    return found


@pytest.fixture
def load(tmp_path: Path, samples: dict[str, Path]) -> Any:
    def load(text: str, *overrides: str) -> League:
        path = tmp_path / "league.toml"
        path.write_text(text)
        return load_league(path, overrides, samples=samples)

    return load


def bot_folder(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in {
        "bot.toml": 'name = "mine"\nversion = "2.1"\ncommand = ["python", "main.py"]\n',
        "main.py": "",
        **files,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


class TestDefaults:
    def test_a_name_and_bots_are_enough(self, load: Any) -> None:
        league = load(MINIMAL)
        assert (league.name, league.seed, league.public) == ("autumn", "random", "")
        assert (league.play, league.boards, league.tables) == (Play.BOARDS, 100, 64)
        assert (league.target, league.max_deals) == (20, 200)
        assert league.ruleset == BRANDELN
        assert league.clock == config.Clock(10_000, 1000, 2000)
        assert league.faults == config.Faults(1, 3, 0.1, 20)
        assert (league.output_bytes, league.address) == (1 << 20, "127.0.0.1:0")
        assert (league.isolation, league.sandbox, league.trusted) == ("none", "rlimits", True)
        assert league.thinking == config.cores()

    def test_the_schema_knows_the_rulesets_knobs_and_their_defaults(self) -> None:
        assert msgspec.to_builtins(RulesetTable()) == BRANDELN.to_dict()

    def test_a_fourth_joins_three(self, load: Any) -> None:
        league = load(MINIMAL)
        assert [bot.name for bot in league.entrants] == ["greedy", "cautious", "random", "house"]
        assert league.house is not None
        assert league.house.where == "cautious"
        assert load(MINIMAL + '[[bot]]\nbot = "lowest"\n').house is None

    def test_passes_are_whole(self, load: Any) -> None:
        five = MINIMAL + '[[bot]]\nbot = "lowest"\n[[bot]]\nbot = "lowest"\nname = "l2"\n'
        assert load(five, "league.boards=9").passes == 3
        assert load(MINIMAL, "league.boards=9").passes == 9

    def test_defaults_may_be_written_for_what_is_not_yet_supported(self, load: Any) -> None:
        text = MINIMAL.replace("[[bot]]", '[limits]\nsandbox = "rlimits"\n[[bot]]', 1)
        load(text.replace("[league]", '[league]\nisolation = "none"\nanonymous = false'))


class TestValues:
    def test_every_key_of_the_file_arrives(self, load: Any, tmp_path: Path) -> None:
        bot_folder(tmp_path / "mybot")
        league = load(
            """
            [league]
            name = "points"
            seed = "demo"
            public = "lottery"
            play = "points"
            boards = 8
            target = 5
            max_deals = 30
            tables = 3
            thinking = 0
            trusted = true
            [ruleset]
            opening = "any"
            passed_out_points = 2
            [clock]
            start = "1.5s"
            move = "off"
            bank = "0s"
            [faults]
            points = 2
            crashes = 0
            share = 1
            after = 5
            [limits]
            output = "64KiB"
            [server]
            address = "127.0.0.1:5000"
            [each]
            env = { LEVEL = "1", MOOD = "calm" }
            args = ["--quick"]
            [[bot]]
            name = "a"
            bot = "greedy"
            env = { LEVEL = "2" }
            [[bot]]
            dir = "mybot"
            args = ["--slow"]
            [[bot]]
            name = "c"
            command = ["python", "mybot/main.py"]
            [[bot]]
            name = "d"
            command = ["/bin/true"]
            """
        )
        assert (league.play, league.target, league.max_deals) == (Play.POINTS, 5, 30)
        assert (league.thinking, league.tables, league.public) == (0, 3, "lottery")
        assert (league.ruleset.opening, league.ruleset.passed_out_points) == ("any", 2)
        assert league.clock == config.Clock(1500, 0, 0)
        assert league.clock.is_off
        assert league.faults == config.Faults(2, 0, 1.0, 5)
        assert (league.output_bytes, league.address) == (65536, "127.0.0.1:5000")
        a, mine, c, d = league.bots
        assert a.env == (("LEVEL", "2"), ("MOOD", "calm"))
        assert a.argv[-1] == "--quick"
        assert (mine.name, mine.version, mine.kind) == ("mine", "2.1", "folder")
        assert mine.command == ("python", "main.py", "--slow")
        assert mine.cwd == str(tmp_path / "mybot")
        assert c.argv == (sys.executable, "mybot/main.py", "--quick")
        assert c.cwd == str(tmp_path)
        assert d.argv == ("/bin/true", "--quick")
        assert d.shown == "/bin/true --quick"

    def test_each_may_say_where_bots_come_from(self, load: Any) -> None:
        text = '[league]\nname="x"\nplay="duel"\n[each]\nbot="greedy"\n'
        league = load(text + '[[bot]]\nname="bold"\nenv={B="1"}\n[[bot]]\nname="shy"\n')
        assert [(bot.name, bot.kind, bot.env) for bot in league.bots] == [
            ("bold", "sample", (("B", "1"),)),
            ("shy", "sample", ()),
        ]

    def test_a_folders_command_starts_in_the_folder(self, load: Any, tmp_path: Path) -> None:
        folder = bot_folder(
            tmp_path / "b", **{"bot.toml": 'name="b"\ncommand=["./run"]', "run": ""}
        )
        (folder / "run").chmod(0o755)
        league = load(MINIMAL + '[[bot]]\ndir = "b"\n')
        assert league.bots[-1].argv == (str(folder / "run"),)

    @given(st.integers(0, 10**12))
    def test_durations_and_sizes_print_as_they_parse(self, value: int) -> None:
        assert parse_duration(format_duration(value)) == value
        assert parse_size(format_size(value)) == value

    @pytest.mark.parametrize(
        "text",
        ["", "1", "1 second", "-1s", "1.0005ms", "0.5B", "1s\n", "9" * 30 + "h", "١s", "1kb"],
    )
    def test_what_has_no_unit_is_no_duration_and_no_size(self, text: str) -> None:
        with pytest.raises(ValueError, match="expected"):
            parse_duration(text)
        with pytest.raises(ValueError, match="expected"):
            parse_size(text)


class TestSeeds:
    def test_random_is_drawn_and_others_are_given(self, load: Any) -> None:
        assert seed_of(load(MINIMAL), lambda size: b"r" * size) == b"r" * 32
        hexadecimal = load(MINIMAL, f"league.seed={'ab' * 32}")
        assert seed_of(hexadecimal) == bytes.fromhex("ab" * 32)
        assert seed_of(load(MINIMAL, "league.seed=demo")).hex().startswith("2a97516c")

    def test_a_seed_is_not_shown(self, load: Any) -> None:
        league = load(MINIMAL, "league.seed=sesame")
        assert "sesame" not in repr(league)
        assert "sesame" not in str(settings(league))

    def test_strangers_play_independent_boards_of_a_seed_they_cannot_guess(self, load: Any) -> None:
        text = MINIMAL + '[[bot]]\nname = "far"\njoin = true\n'
        fine = load(text, "league.play=independent")
        assert not fine.trusted
        # What [each] gives is for those that are started.
        assert load(text, "league.play=independent", "each.env.A=1").bots[-1].env == ()
        load(text, "league.play=independent", f"league.seed={'ab' * 32}")
        assert load(text, "league.trusted=true", "league.seed=demo").play is Play.BOARDS
        for refused in (["league.play=boards"], ["league.play=independent", "league.seed=demo"]):
            with pytest.raises(ConfigError, match="league"):
                load(text, *refused)


class TestOverrides:
    @pytest.mark.parametrize(
        "override, read",
        [
            ("league.boards=7", lambda league: league.boards == 7),
            ("league.boards = 7", lambda league: league.boards == 7),
            ("clock.move=500ms", lambda league: league.clock.move_ms == 500),
            ('clock.move="500ms"', lambda league: league.clock.move_ms == 500),
            ("league.seed=12345", lambda league: league.seed == "12345"),
            ("league.name=true", lambda league: league.name == "true"),
            ("league.public=a = b", lambda league: league.public == "a = b"),
            ("ruleset.declare_above_bid=false", lambda x: not x.ruleset.declare_above_bid),
            ("bot.greedy.env.BOLDNESS=0.3", lambda x: x.bots[0].env == (("BOLDNESS", "0.3"),)),
            ('bot.greedy.args=["-x"]', lambda league: league.bots[0].argv[-1] == "-x"),
            ("each.env.A=1", lambda league: league.bots[2].env == (("A", "1"),)),
        ],
    )
    def test_a_value_is_toml_or_the_text_itself(self, load: Any, override: str, read: Any) -> None:
        assert read(load(MINIMAL, override))

    def test_the_last_of_two_counts(self, load: Any) -> None:
        assert load(MINIMAL, "league.boards=7", "league.boards=8").boards == 8

    def test_every_value_has_an_origin(self, load: Any) -> None:
        text = MINIMAL + "[each]\nargs = ['-q']\n[clock]\nmove = '2s'\n"
        found = {each.key: each for each in settings(load(text, "clock.bank=1s"))}
        assert found["clock.start"] == Setting("clock.start", "10s", "default")
        assert found["clock.move"] == Setting("clock.move", "2s", "file")
        assert found["clock.bank"] == Setting("clock.bank", "1s", "--set")
        assert found["bot.greedy.source"] == Setting("bot.greedy.source", "sample greedy", "file")
        assert found["league.seed"].origin == "default"
        assert found["bot.greedy.command"].origin == "sample"
        assert found["bot.greedy.digest"].origin == "computed"

    def test_what_a_bot_toml_says_is_from_there(
        self, load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bot_folder(tmp_path / "mine")
        monkeypatch.chdir(tmp_path)
        league = load(f'{MINIMAL}[[bot]]\ndir = "mine"\n', "bot.mine.env.X=1")
        found = {each.key: each.origin for each in settings(league)}
        assert found["bot.mine.command"] == "mine/bot.toml"
        assert found["bot.mine.version"] == "mine/bot.toml"
        assert found["bot.mine.source"] == "file"
        assert found["bot.mine.env"] == "--set"

    @pytest.mark.parametrize("name", ["mine", "#{last}"])
    def test_a_bot_without_a_name_here_is_overridden_by_that_of_its_bot_toml_or_its_number(
        self, load: Any, tmp_path: Path, name: str
    ) -> None:
        bot_folder(tmp_path / "mine")
        text = f'{MINIMAL}[[bot]]\ndir = "mine"\n'
        name = name.format(last=text.count("[[bot]]"))
        league = load(text, f"bot.{name}.env.X=1")
        assert league.bots[-1].name == "mine"
        assert league.bots[-1].env == (("X", "1"),)

    def test_a_number_means_a_bot_that_has_a_name_too(self, load: Any) -> None:
        assert load(MINIMAL, "bot.#1.env.X=1").bots[0].env == (("X", "1"),)
        with pytest.raises(ConfigError, match="no bot '#99'"):
            load(MINIMAL, "bot.#99.env.X=1")

    @pytest.mark.parametrize(
        "seed, shown",
        [
            ("demo", "(hidden: a text)"),
            ("ab" * 32, "(hidden: 64 hex digits)"),
            ("random", "random"),
        ],
    )
    def test_of_a_seed_only_its_kind_is_shown(self, load: Any, seed: str, shown: str) -> None:
        found = {each.key: each.value for each in settings(load(MINIMAL, f"league.seed={seed}"))}
        assert found["league.seed"] == shown


class TestMatch:
    def match(self, samples: dict[str, Path], *bots: str, **options: Any) -> League:
        base = next(iter(samples.values())).parent
        return match_league(bots, **{"base": base, "samples": samples, **options})

    def test_two_are_a_duel_and_four_a_table(self, samples: dict[str, Path]) -> None:
        assert self.match(samples, "greedy", "random").play is Play.DUEL
        four = self.match(samples, "greedy", "greedy", "greedy", "random")
        assert four.play is Play.BOARDS
        assert [bot.name for bot in four.bots] == ["greedy", "greedy-2", "greedy-3", "random"]

    def test_every_kind_of_bot(self, samples: dict[str, Path], tmp_path: Path) -> None:
        folder = bot_folder(tmp_path / "mine")
        command = f"python '{folder}/main.py' --deep"
        league = self.match(samples, "join:far", str(folder), command, "lowest")
        assert [(bot.name, bot.kind) for bot in league.bots] == [
            ("far", "join"),
            ("mine", "folder"),
            ("main", "command"),
            ("lowest", "sample"),
        ]
        assert league.bots[2].command == ("python", f"{folder}/main.py", "--deep")
        assert league.trusted

    def test_a_match_takes_overrides(self, samples: dict[str, Path]) -> None:
        league = self.match(
            samples, "greedy", "greedy", overrides=["league.boards=3", "bot.greedy-2.env.X=1"]
        )
        assert league.boards == 3
        assert [bot.env for bot in league.bots] == [(), (("X", "1"),)]


class TestDigest:
    def test_it_is_the_sha256_of_what_the_module_says(self) -> None:
        text = (
            '{"format":"brandeln-bot/1","kind":"command","command":["python","b.py"],'
            '"env":{"A":"ä","B":"2"},"files":[["b.py","00"],["c","11"]]}'
        )
        import hashlib

        files = [("c", "11"), ("b.py", "00")]
        came = digest("command", ["python", "b.py"], {"B": "2", "A": "ä"}, files)
        assert came == hashlib.sha256(text.encode()).hexdigest()

    def test_it_covers_the_folder_but_what_is_hidden_compiled_or_installed(
        self, load: Any, tmp_path: Path
    ) -> None:
        folder = bot_folder(
            tmp_path / "b",
            **{
                "lib/x.py": "",
                ".git/HEAD": "",
                "__pycache__/m.pyc": "",
                "y.pyc": "",
                "node_modules/z/i.js": "",
            },
        )
        (folder / "loop").symlink_to(folder)
        (bot,) = load(MINIMAL + '[[bot]]\ndir = "b"\n').bots[3:]
        assert [name for name, _ in bot.files] == ["bot.toml", "lib/x.py", "main.py"]

    def test_patterns_name_what_it_covers(self, load: Any, tmp_path: Path) -> None:
        toml = 'name = "b"\ncommand = ["python", "main.py"]\nfiles = ["*.py", "data"]\n'
        folder = bot_folder(tmp_path / "b", **{"bot.toml": toml, "data/w": "1", "log": "x"})
        text = MINIMAL + '[[bot]]\ndir = "b"\n'
        before = load(text).bots[3]
        assert [name for name, _ in before.files] == ["bot.toml", "data/w", "main.py"]
        (folder / "log").write_text("y")
        assert load(text).bots[3].digest == before.digest
        (folder / "data/w").write_text("2")
        assert load(text).bots[3].digest != before.digest

    def test_it_covers_the_files_among_the_words_of_a_command(
        self, load: Any, tmp_path: Path
    ) -> None:
        (tmp_path / "b.py").write_text("")
        (tmp_path / "weights").write_text("1")
        text = MINIMAL + '[[bot]]\nname="b"\ncommand=["python","b.py","weights","-v"]\n'
        before = load(text).bots[3]
        assert [name for name, _ in before.files] == ["b.py", "weights"]
        (tmp_path / "weights").write_text("2")
        assert load(text).bots[3].digest != before.digest

    @pytest.mark.parametrize("change", ["bot.greedy.env.A=1", "bot.greedy.args=['-v']"])
    def test_parameters_make_another_bot(self, load: Any, change: str) -> None:
        assert load(MINIMAL, change).bots[0].digest != load(MINIMAL).bots[0].digest

    def test_the_folder_of_the_league_does_not_matter(
        self, samples: dict[str, Path], tmp_path: Path
    ) -> None:
        leagues = []
        for name in ("one", "two"):
            bot_folder(tmp_path / name / "b")
            path = tmp_path / name / "league.toml"
            path.write_text(MINIMAL + '[[bot]]\ndir="b"\n')
            leagues.append(load_league(path, samples=samples))
        assert config_sha256(leagues[0]) == config_sha256(leagues[1])


class TestWhatDecides:
    @pytest.mark.parametrize(
        "change",
        [
            "league.play=independent",
            "league.boards=101",
            "ruleset.void=any",
            "clock.move=2s",
            "clock.bank=3s",
            "faults.points=2",
            "faults.share=0.2",
            "bot.greedy.env.A=1",
            "bot.greedy.name=g",
        ],
    )
    def test_what_decides_results_changes_the_digest(self, load: Any, change: str) -> None:
        assert config_sha256(load(MINIMAL, change)) != config_sha256(load(MINIMAL))

    @pytest.mark.parametrize(
        "change",
        [
            "league.name=x",
            "league.seed=x",
            "league.public=x",
            "league.tables=1",
            "league.thinking=1",
            "ruleset.name=x",
            "limits.output=1kB",
            "server.address=127.0.0.1:5000",
        ],
    )
    def test_how_it_is_run_does_not(self, load: Any, change: str) -> None:
        assert config_sha256(load(MINIMAL, change)) == config_sha256(load(MINIMAL))

    def test_it_is_one_line_of_json(self, load: Any) -> None:
        text = decides(load(MINIMAL))
        assert json.dumps(json.loads(text), separators=(",", ":"), sort_keys=True) == text

    def test_every_field_of_a_league_was_thought_of(self) -> None:
        """A new field must be sorted into what decides results or what does not."""
        decisive = {"play", "boards", "target", "max_deals", "field", "isolation", "sandbox"}
        decisive |= {"ruleset", "clock", "faults", "bots", "house"}
        other = {"label", "name", "seed", "public", "tables", "thinking", "trusted"}
        other |= {"output_bytes", "address", "origins"}
        assert {field.name for field in dataclasses.fields(League)} == decisive | other


class TestSchema:
    def test_it_is_json_and_closed(self) -> None:
        schema = json.loads(json.dumps(config_schema()))
        tables = [d for d in schema["$defs"].values() if d.get("type") == "object"]
        assert len(tables) == 9
        assert all(table["additionalProperties"] is False for table in tables)

    def test_every_key_is_described(self) -> None:
        definitions = config_schema()["$defs"]
        for name, table in definitions.items():
            if name != LeagueFile.__name__:
                bare = [k for k, v in table["properties"].items() if not v.get("description")]
                assert bare == [], name

    def test_it_has_the_defaults(self) -> None:
        league = config_schema()["$defs"]["LeagueTable"]
        assert league["required"] == ["name"]
        assert league["properties"]["boards"]["default"] == 100
        assert league["properties"]["anonymous"]["const"] is False


def test_a_bot_is_a_value(load: Any) -> None:
    league = load(MINIMAL)
    bot: Bot = league.bots[0]
    assert replace(bot) == bot
    assert league.with_public("x").public == "x"
