"""Colours and layout of the pane, light and dark."""

from textual.theme import Theme

DARK = Theme(
    name="voice-dark",
    dark=True,
    primary="#7aa2f7",
    secondary="#73daca",
    accent="#e0af68",
    foreground="#d5d9e8",
    background="#16181f",
    surface="#1c1f28",
    panel="#252936",
    success="#8bc34a",
    warning="#e0af68",
    error="#ff7a8a",
    variables={"quiet": "#8b93ad", "border": "#3b4156", "footer-key-foreground": "#7aa2f7"},
)
LIGHT = Theme(
    name="voice-light",
    dark=False,
    primary="#2456b8",
    secondary="#0b6b60",
    accent="#8a5a00",
    foreground="#1e2230",
    background="#fbfbfd",
    surface="#f1f2f7",
    panel="#e4e6ef",
    success="#2e6b1f",
    warning="#8a5a00",
    error="#b3172f",
    variables={"quiet": "#5a6178", "border": "#c3c8d8", "footer-key-foreground": "#2456b8"},
)

# No `:first-child` or `:last-child` that could match an entry: Textual would style all of them anew for each new one.
CSS = """
Screen { background: $background; color: $foreground; }
Bar { height: 1; padding: 0 1; }
#where { background: $panel; }
#state { background: $panel; }
#notices { height: auto; max-height: 3; padding: 0 1; color: $warning; background: $surface; display: none; }
#notices.-some { display: block; }
#question { display: none; border: none; border-left: outer $primary; padding: 0 1; height: 1; background: $surface; }
#question:focus { border: none; border-left: outer $primary; }
#question.-open { display: block; }

Footer { background: $panel; padding: 0 1; }
Footer FooterKey { background: $panel; }
.-wide FooterKey { margin-right: 1; }
Footer FooterKey .footer-key--key { color: $primary; background: $panel; text-style: bold; }
Footer FooterKey .footer-key--description { color: $foreground; background: $panel; }

Conversation { padding: 1 0 0 2; align: left bottom; scrollbar-size-vertical: 1; scrollbar-color: $border;
  scrollbar-background: $background; scrollbar-color-hover: $primary; scrollbar-color-active: $primary;
  scrollbar-background-hover: $background;
  scrollbar-background-active: $background; }
#empty { width: 100%; height: 1fr; content-align: center middle; text-align: center; color: $quiet; }

.-narrow Conversation { padding: 0 0 0 1; }

Said { height: auto; margin: 0 2 1 0; }
Said.-tight { margin-bottom: 0; }
Said .who { width: 7; color: $quiet; }
Said .words { width: 1fr; height: auto; }
Said.-you .who { color: $primary; text-style: bold; }
Said.-you .words { text-style: bold; }
Said.-voice .who { color: $secondary; text-style: bold; }
Said.-pending .words, Said.-draft .words { color: $quiet; text-style: italic; }

ToolLine { height: 1; padding-left: 7; margin-right: 2; color: $quiet; text-wrap: nowrap; text-overflow: ellipsis; }
ToolLine.-last { margin-bottom: 1; }
MemoryLine.-saved { color: $foreground; }
ToolLine:focus { background: $panel; color: $foreground; }
Note { height: auto; padding-left: 7; margin: 0 2 1 0; color: $warning; }
Note.-error { color: $error; }
Note.-quiet { color: $quiet; text-style: italic; }

Card { height: auto; margin: 0 2 1 0; border: round $border; border-title-color: $accent; border-title-style: bold;
  border-subtitle-color: $quiet; padding: 0 1; background: $surface; }
Card:focus { border: round $primary; border-subtitle-color: $primary; }
Card .plain { width: 100%; height: auto; }
Card .more { color: $accent; margin-top: 1; height: auto; }
Card Markdown { background: transparent; padding: 0; margin: 0; height: auto; }
Card MarkdownH1, Card MarkdownH2, Card MarkdownH3, Card MarkdownH4 { content-align: left middle;
  background: transparent; margin: 1 0 0 0; padding: 0; color: $primary; text-style: bold; }
Card MarkdownFence { margin: 0 0 1 0; background: $background; color: $foreground; border-left: outer $border;
  overflow: hidden hidden; }
Card MarkdownFence > Label { padding: 0 1; width: 1fr; }
Card MarkdownBlock .code_inline { background: transparent; color: $accent; }
Card MarkdownTable { margin: 0 0 1 0; }
Card MarkdownParagraph:last-child, Card MarkdownFence:last-child, Card MarkdownTable:last-child,
Card MarkdownBulletList:last-child, Card MarkdownOrderedList:last-child { margin-bottom: 0; }
Card MarkdownH1:first-child, Card MarkdownH2:first-child, Card MarkdownH3:first-child { margin-top: 0; }
Card MarkdownTable MarkdownTableContent { keyline: thin $border; }
Card MarkdownTableContent .header { color: $primary; text-style: bold; }

TextScreen, Choose, AskName, Help, MemoryScreen, Forget { align: center middle; background: $background 70%; }
#box { border: round $primary; background: $surface; padding: 0 1; width: 64; max-width: 96%; height: auto;
  max-height: 90%; border-title-color: $primary; border-title-style: bold; border-subtitle-color: $quiet; }
TextScreen #box { width: 96%; height: 94%; max-width: 100%; }
MemoryScreen #box { width: 96%; max-width: 100; height: 94%; max-height: 94%; }
#box #remembered { height: 1fr; max-height: 100%; scrollbar-size-vertical: 1; scrollbar-color: $border; }
#box #remembered:focus { background: $surface; background-tint: $surface 0%; }
#remembered > .option-list--option { padding: 0 1; }
#remembered > .option-list--option-disabled { color: $accent; text-style: bold; }
#remembered > .option-list--option-highlighted, #remembered:focus > .option-list--option-highlighted {
  background: $border 60%; color: $foreground; text-style: bold; }
#about { height: auto; max-height: 5; margin-top: 1; color: $quiet; }
Lines { height: 1fr; overflow: hidden scroll; scrollbar-size-vertical: 1;
  scrollbar-color: $border; scrollbar-background: $surface; }
#box { scrollbar-size-vertical: 1; scrollbar-color: $border; scrollbar-background: $surface; }
#box OptionList { border: none; background: $surface; height: auto; max-height: 14; padding: 0; }
#box Input { border: tall $border; margin-top: 1; }
#box Input:focus { border: tall $primary; }
#problem { color: $error; height: auto; display: none; }
#problem.-some { display: block; }
#box .text { height: auto; }
Toast { background: $panel; }
"""
