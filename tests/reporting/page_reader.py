"""A page taken apart: marked numbers with their places, scripts, tags and everything else."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The text of a page by kind: marked numbers with their places, ticks, scripts and everything else."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.figures, self.plain, self.scripts, self.tags = [], [], [], []
        self._open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "input", "line", "circle", "rect", "br", "img", "link"):
            self._open.append((tag, dict(attributes)))

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tag, attributes = self._open[-1] if self._open else ("", {})
        if tag in ("script", "style"):
            self.scripts.append((attributes, data))
        elif "data-at" in attributes:
            self.figures.append((attributes["data-at"], attributes["data-as"], data))
        elif attributes.get("class") != "tick":
            self.plain.append((tag, data))
