"""Text in a terminal: widths, wrapping, columns, and letters it cannot show."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cinqmille.plaintext import cells, columns, fitted, printable, shortened, wrapped


def test_text_in_cells() -> None:
    assert cells("abc") == 3
    assert cells("王小明") == 6
    assert cells("e\u0301") == 1
    assert cells("👩\u200d🚀") == 4
    assert fitted("王小明", 4) == "王… "
    assert fitted("abc", 5, right=True) == "  abc"
    assert shortened("abcdef", 4) == "abc…"
    assert wrapped("a bc def", 4, " ") == "a bc\n def"
    assert wrapped("abcdefgh", 3) == "abc\ndef\ngh"
    assert wrapped("deux\u00a0: un", 6) == "deux\u00a0:\nun"
    assert wrapped("a\n\nb", 9) == "a\n\nb"
    assert columns([("a", "1"), ("bb", "22")], right=(1,)) == ["a    1", "bb  22"]
    assert printable("a\x1b[31mb\u202ec\nd") == "a\ufffd[31mb\ufffdc\nd"


@given(st.text(max_size=200), st.integers(10, 40))
def test_wrapped_lines_fit(text: str, width: int) -> None:
    assert all(cells(line) <= width for line in wrapped(printable(text), width, "  ").split("\n"))
