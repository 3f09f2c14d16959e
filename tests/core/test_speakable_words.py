"""How single things are said: codes, paths, types, numbers, signs."""

# ruff: noqa: RUF001 - look-alikes of common characters are meant

import pytest

from voice_agent.core.speakable import speakable

SAID = {
    # error codes, the same way for every family
    "CS1061": "C S, 1 0 6 1.",
    "CS0103": "C S, 0 1 0 3.",
    "NU1605": "N U, 1 6 0 5.",
    "MSB3021": "M S B, 3 0 2 1.",
    "NETSDK1004": "net S D K, 1 0 0 4.",
    "CA1822": "C A, 1 8 2 2.",
    "TS2304": "T S, 2 3 0 4.",
    "E501": "E, 5 0 1.",
    # files, places, paths
    "Open Cart.cs(14,21).": "Open Cart dot c s line 14.",
    "Open src/Shop/Cart.cs:14:21.": "Open Cart dot c s line 14.",
    "in /src/Shop/Cart.cs:line 14": "in Cart dot c s line 14.",
    "Open C:\\Users\\me\\Shop\\Cart.cs now": "Open Cart dot c s now.",
    "Open \\\\server\\share\\Shop.csproj now": "Open Shop dot c s project now.",
    "Look in ~/notes and ../Shared/Money.cs.": "Look in notes and Money dot c s.",
    "It is in /usr/local/bin.": "It is in local bin.",
    "the branch feature/login": "the branch feature login.",
    "Edit appsettings.Development.json and .gitignore.": "Edit appsettings dot Development dot json and dot gitignore.",
    "all *.cs and src/**/*.json files": "all star dot c s and star dot json files.",
    "/src/Cart.cs(14,21): error CS0103: No 'totl' [/src/Shop.csproj::TargetFramework=net8.0]": (
        "Cart dot c s line 14: error C S, 0 1 0 3: No 'totl' in Shop dot c s project."
    ),
    # names
    "my_var": "my var.",
    "ReviewOrchestrator": "Review Orchestrator.",
    "HTTPServer": "HTTP Server.",
    "two PRs and APIs": "two PRs and APIs.",
    "GitHub and JavaScript": "GitHub and JavaScript.",
    "Test_Should_Return_404": "Test Should Return 404.",
    "Set ANTHROPIC_API_KEY, $HOME, ${Path} or %TEMP%": "Set ANTHROPIC API KEY, HOME, Path or TEMP.",
    "System.Collections.Generic.KeyNotFoundException": "Generic dot Key Not Found Exception.",
    "the CLI wrote to stdout": "the C L I wrote to standard out.",
    # calls, tests, types
    'The test Shop.Tests.Parse(input: "C:\\\\temp\\\\<a>\\r\\n", expected: [1, 2], x: 3) failed': (
        "The test Parse, with 3 parameters, failed."
    ),
    'Shop.Tests.Emoji(s: "🙂")': "Emoji, with 1 parameter,",
    "Call GetTotal() twice": "Call Get Total twice.",
    "2 Error(s)": "2 Errors.",
    "List<string> and Dictionary<string, List<int>>": "List of string and Dictionary of string and List of int.",
    "list[int] or string[]": "list of int or string.",
    "arr[0] and xs[i]": "arr at 0 and xs at i.",
    # languages and tools
    "C#, F#, C++ and ASP.NET on .NET 10": "C sharp, F sharp, C plus plus and ASP dot net on dot net 10.",
    "Run dotnet build --no-restore -v q": "Run dotnet build dash dash no-restore dash v q.",
    # numbers
    "$1.50, $2M and €3, or 4 €": "1.50 dollars, 2 million dollars and 3 euros, or 4 euros.",
    "1 s, 20 ms, 30s, 2 MB/s, 5 GiB": "1 second, 20 milliseconds, 30 seconds, 2 megabytes per second, 5 gibibytes.",
    "in the 1990s and 2m30s": "in the 1990s and 2 minutes 30 seconds.",
    "on 2024-11-23T13:45:00Z": "on November 23rd, 2024 at 13:45 UTC.",
    "lines 10-20, 5x": "lines 10 to 20, 5 times.",
    "1.2.3-beta.1 and 8.0.119": "1.2.3 beta 1 and 8.0.119.",
    "3/12 and 16/9 and 01/02/2024": "3 of 12 and 16 slash 9 and 01 slash 02 slash 2024.",
    "2e10 or ~5 or -5 or 20°C": "2 times 10 to the 10 or about 5 or minus 5 or 20 degrees Celsius.",
    # what nobody wants to hear whole
    "commit 3cfb0353ec1f1862b147ca6ade5b02b88af3c30d": "commit 3 c f b.",
    "commit 1234567 and a1b2c3d": "commit 1 2 3 4 and a-1 b 2.",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08": "9 f 8 6.",
    "the decade defaced": "the decade defaced.",
    # operators
    "a < b, c >= d, e != f": "a less than b, c greater than or equal to d, e not equal to f.",
    "!done && x || y": "not done and x or y.",
    "x => x.Price": "x arrow x dot Price.",
    "i++ and i-- and x^2": "i plus plus and i minus minus and x caret 2.",
    "5 - 3, 2 * 3, 2 ** 8": "5 minus 3, 2 times 3, 2 to the power of 8.",
    "main..feature and HEAD~3": "main to feature and HEAD tilde 3.",
    "git log | head": "git log pipe head.",
    # abbreviations
    "Ask Dr. Smith, e.g. about Fig. 3, No. 4, cats vs. dogs, etc.": (
        "Ask Doctor Smith, for example about figure 3, number 4, cats versus dogs, etcetera."
    ),
    "The U.S. and 5 p.m.": "The U S and 5 p m.",
    # Markdown and HTML
    "***very* much** ~~not~~ __so__": "very much not so.",
    "## A heading": "A heading.",
    "> > quoted": "quoted.",
    "Use `a * b * c` and ``x`y``": "Use a times b times c and x y.",
    "one<br>two <b>three</b> &lt;div&gt; <!-- no -->": "one two three div.",
    "half [a link](http": "half a link (http.",
    # what is no text
    "Expected \\uD83D\\uDE42 but was \\u001b[31m": "Expected a symbol but was a control code.",
    "\\u0041bc and a\\r\\nb": "Abc and a b.",
    "✅ All passed 🎉": "All passed.",
    "[[x]] and [[y]]": "x and y.",
    "\x1b]0;pwned title\x07\x1b[2J\x1b[31mred\x1b[0m \x9b31m\u202e.gnp.exe": "red dot gnp dot exe.",
    "👩\u200d👩\u200d👦 e\u0301 \b\bhid\u00adden": "é hidden.",
    "𝐁𝐨𝐥𝐝 ﬁne ①": "Bold fine 1.",
    "٣ files": "3 files.",
    "What?! No!!! Wait...": "What? No! Wait.",
}


@pytest.mark.parametrize("text", SAID)
def test_a_thing_is_said_the_way_people_say_it(text: str) -> None:
    assert " ".join(speakable(text)) == SAID[text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("See https://x.test/a?b=c.", "See a link."),
        ("Open http://127.0.0.1:5000/swagger now", "Open a local link now."),
        ("id 13ff94ac-c450-e0a7-5955-a529040dfc97", "id an identifier."),
        ("你好世界 is new", "foreign text is new."),
        ("Long(" + "x" * 3000 + ") failed", "Long, with 1 parameter, failed."),
        ("hash sha512-" + "EXAMPLEbase64" * 6 + "==", "hash a long text."),
    ],
)
def test_what_was_only_hinted_at_is_on_the_screen(text: str, said: str) -> None:
    assert " ".join(speakable(text)) == f"{said} See the screen."
