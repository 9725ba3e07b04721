"use strict";
// Theme, copy button and the list of examples. Texts are untrusted: they become text nodes, never markup.
(() => {
  const byId = (id) => document.getElementById(id);

  // --- Theme: the system's choice until somebody chooses
  const theme = byId("theme");
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem("faircall-theme"); } catch { return null; } };
  const isDark = () =>
    (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`); };
  if (stored() === "dark" || stored() === "light") root.dataset.theme = stored();
  if (theme) {
    theme.hidden = false;
    label();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
    theme.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("faircall-theme", root.dataset.theme); } catch { /* a page from disk may have no storage */ }
      label();
    });
  }

  const copy = byId("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(byId("signature").textContent); copy.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(byId("signature")); copy.textContent = "Selected"; }
    });
  }

  // --- Printing shows what is folded
  addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])").forEach((d) => { d.open = true; d.dataset.folded = ""; }));
  addEventListener("afterprint", () => document.querySelectorAll("details[data-folded]").forEach((d) => { d.open = false; delete d.dataset.folded; }));

  // --- Examples
  const source = byId("rows");
  if (!source || !byId("explorer")) return;
  const data = JSON.parse(source.textContent);
  source.textContent = "";
  const arms = JSON.parse(byId("explorer").dataset.arms);
  const ID = 0, SLICES = 1, ASKED = 2, NAME = 3, PAIRS = 4, ANSWERS = 5, GOLD = 6;
  const TEXT = 0, LENGTH = 1, STATUS = 2, CAUSE = 3, SPAN = 4, RIGHT = 5, CALLED = 6, CHANGES = 7, FLAGS = 8;
  const SHOWN = 2000, HEIGHT = 46, AROUND = 8;
  const both = arms.length === 2;
  const list = byId("list"), spacer = byId("spacer"), detail = byId("detail"), shown = byId("shown");

  // What a browser hides or reorders is spelt out.
  const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const spell = (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");
  const flat = (text) => text.replace(HIDDEN, spell);

  function element(tag, className, ...children) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...children);
    return node;
  }
  function addText(parent, text) {
    let last = 0;
    for (const match of text.matchAll(HIDDEN)) {
      parent.append(text.slice(last, match.index), element("span", "esc", spell(match[0])));
      last = match.index + match[0].length;
    }
    parent.append(text.slice(last));
    return parent;
  }
  const isolated = (text) => addText(document.createElement("bdi"), text);
  const code = (text) => addText(element("code"), text);
  const count = (n) => n.toLocaleString("en-US");

  // --- Filters
  const controls = { q: byId("q"), slice: byId("f-slice"), cause: byId("f-cause"), flip: byId("f-flip"), metric: byId("f-metric") };
  const option = (select, value, text) => select.append(new Option(flat(text), value));
  data.slices.forEach((name, i) => option(controls.slice, i, name));
  data.causes.map((name, i) => [name, i]).sort().forEach(([name, i]) => option(controls.cause, i, name));
  (both
    ? [["gained", "gained: wrong, then right"], ["lost", "lost: right, then wrong"], ["right", "both right"], ["wrong", "both wrong"]]
    : [["right", "right"], ["wrong", "wrong"]]
  ).forEach(([value, text]) => option(controls.flip, value, text));
  data.metrics.forEach((name, i) => option(controls.metric, i, name));
  const strictest = String(data.metrics.indexOf("full_call_exact_match"));
  controls.metric.value = strictest;
  for (const option of controls.metric.options) option.defaultSelected = option.value === strictest;

  const isRight = (row, arm) => (row[ANSWERS][arm][RIGHT] >> Number(controls.metric.value)) & 1;
  function resultOf(row) {
    const first = isRight(row, 0);
    if (!both) return first ? "right" : "wrong";
    const second = isRight(row, 1);
    return first === second ? (first ? "right" : "wrong") : first ? "lost" : "gained";
  }
  const WORDS = both ? { gained: "gained", lost: "lost", right: "both right", wrong: "both wrong" } : { right: "right", wrong: "wrong" };
  const haystacks = new Array(data.rows.length);
  function haystack(i) {
    const row = data.rows[i];
    return (haystacks[i] ??= [row[ID], row[ASKED] ?? "", row[NAME], ...row[ANSWERS].map((a) => a[TEXT] ?? "")].join("\n").toLowerCase());
  }

  let found = [], chosen = -1;
  function applyFilters() {
    const keep = chosen >= 0 ? found[chosen] : -1;
    const query = controls.q.value.trim().toLowerCase();
    const slice = controls.slice.value, cause = controls.cause.value, flip = controls.flip.value;
    found = [];
    data.rows.forEach((row, i) => {
      if (slice !== "" && !row[SLICES].includes(Number(slice))) return;
      if (cause !== "" && !row[ANSWERS].some((a) => a[CAUSE] === Number(cause))) return;
      if (flip !== "" && resultOf(row) !== flip) return;
      if (query !== "" && !haystack(i).includes(query)) return;
      found.push(i);
    });
    shown.textContent = `${count(found.length)} of ${count(data.rows.length)} examples`;
    spacer.style.height = `${found.length * HEIGHT}px`;
    list.scrollTop = 0;
    const place = found.indexOf(keep);
    choose(place >= 0 ? place : found.length ? 0 : -1);
  }

  // --- The list: only the rows in sight exist
  let drawn = "";
  function draw(force) {
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - AROUND);
    const last = Math.min(found.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + AROUND);
    const key = `${first}-${last}`;
    if (!force && key === drawn) return;
    drawn = key;
    const rows = [];
    for (let place = first; place < last; place++) rows.push(drawRow(place));
    if (!found.length) rows.push(element("div", "none", "No example fits these filters."));
    spacer.replaceChildren(...rows);
    markActive();
  }
  function drawRow(place) {
    const row = data.rows[found[place]], result = resultOf(row);
    const node = element("div", "row", isolated(row[ID]), element("span", `flip ${result}`, WORDS[result]));
    node.append(element("span", "why", flat(summary(row))));
    node.id = `row-${place}`;
    node.setAttribute("role", "option");
    node.setAttribute("aria-setsize", found.length);
    node.setAttribute("aria-posinset", place + 1);
    node.setAttribute("aria-selected", place === chosen);
    node.style.top = `${place * HEIGHT}px`;
    node.dataset.place = place;
    return node;
  }
  function summary(row) {
    const causes = [...new Set(row[ANSWERS].map((a) => (a[CAUSE] < 0 ? "" : data.causes[a[CAUSE]])))].filter(Boolean);
    return [row[NAME], ...(causes.length ? [causes.join(" → ")] : []), row[SLICES].map((i) => data.slices[i]).join(", ")].filter(Boolean).join(" · ");
  }
  function markActive() {
    if (byId(`row-${chosen}`)) list.setAttribute("aria-activedescendant", `row-${chosen}`);
    else list.removeAttribute("aria-activedescendant");
  }
  function choose(place) {
    chosen = place;
    if (place >= 0) {
      const top = place * HEIGHT;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
    }
    draw(true);
    drawDetail();
  }
  const MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
  list.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && chosen >= 0) { event.preventDefault(); detail.focus(); return; }
    if (!(event.key in MOVES) || !found.length) return;
    event.preventDefault();
    choose(Math.min(found.length - 1, Math.max(0, chosen + MOVES[event.key])));
  });
  detail.addEventListener("keydown", (event) => { if (event.key === "Escape") list.focus(); });
  list.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (!row) return;
    choose(Number(row.dataset.place));
    if (matchMedia("(max-width: 60rem)").matches) detail.scrollIntoView({ block: "start" });
  });
  let waiting = false;
  list.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(false); });
  }, { passive: true });
  new ResizeObserver(() => draw(false)).observe(list);

  // --- One example: gold and both outputs side by side
  function drawDetail() {
    detail.scrollTop = 0;
    if (chosen < 0) { detail.replaceChildren(element("p", "note", "Nothing is chosen.")); return; }
    const row = data.rows[found[chosen]];
    const title = element("h3", "", isolated(row[ID]));
    const slices = row[SLICES].map((i) => data.slices[i]).join(", ");
    const parts = [title, element("p", "note", flat([WORDS[resultOf(row)], slices].filter(Boolean).join(" · ")))];
    const asked = row[ASKED] === null ? null : textBox(row[ASKED], null, 8000);
    if (asked) parts.push(element("h4", "", "Request"), asked);
    parts.push(element("h4", "", "Gold call and calls"), callTable(row));
    const texts = element("div", "texts", ...row[ANSWERS].map((answer, arm) => answerBox(answer, arm)));
    parts.push(texts);
    detail.replaceChildren(...parts);
    if (asked) {
      const pre = asked.querySelector("pre");
      pre.classList.add("asked");
      pre.scrollTop = pre.scrollHeight; // a whole prompt ends with the request
    }
  }
  function callTable(row) {
    const head = element("tr", "", ...["", "gold", ...arms].map((name) => { const th = element("th", "", isolated(name)); th.scope = "col"; return th; }));
    const body = [line("tool", row[NAME], row[ANSWERS].map((a) => (a[CALLED] === null ? undefined : a[CALLED] === row[NAME] ? null : a[CALLED])))];
    if (row[PAIRS] === null) return element("div", "", element("table", "", element("thead", "", head), element("tbody", "", ...body)), row[GOLD] === null ? element("p", "note", data.redacted ? "Arguments are not listed." : "Too many arguments to list; the texts have them.") : textBox(row[GOLD], null, SHOWN));
    const changes = row[ANSWERS].map((a) => new Map(a[CHANGES] || []));
    const cell = (arm, path) => row[ANSWERS][arm][CALLED] === null ? undefined : !changes[arm].has(path) ? null : changes[arm].get(path) === 0 ? 0 : (changes[arm].get(path) ?? true);
    const gold = new Map(row[PAIRS]);
    for (const [path, value] of gold) body.push(line(path, value ?? true, arms.map((_, arm) => cell(arm, path))));
    const extra = new Set(changes.flatMap((c) => [...c.keys()].filter((path) => !gold.has(path))));
    for (const path of extra) body.push(line(path, 0, arms.map((_, arm) => row[ANSWERS][arm][CALLED] === null ? undefined : changes[arm].has(path) ? (changes[arm].get(path) ?? true) : 0), true));
    return element("table", "", element("thead", "", head), element("tbody", "", ...body));
  }
  // A value is a text; null is "as gold", 0 "not there", true "there, redacted", undefined "no call".
  function line(path, gold, values, isExtra) {
    const th = element("th", "", code(path));
    th.scope = "row";
    const cells = values.map((value) => {
      if (value === undefined) return element("td", "differs", element("span", "sr", "no call"));
      if (value === null) return element("td", "same", "=");
      if (value === 0) return element("td", isExtra ? "same" : "differs", element("span", isExtra ? "" : "sr", isExtra ? "–" : "missing"));
      const td = element("td", "differs", element("span", "sr", isExtra ? "extra " : "≠ "));
      td.append(value === true ? "redacted" : code(value));
      return td;
    });
    return element("tr", "", th, element("td", "", gold === 0 ? "–" : gold === true ? "redacted" : code(gold)), ...cells);
  }
  function answerBox(answer, arm) {
    const cause = answer[CAUSE] < 0 ? "full match" : data.causes[answer[CAUSE]];
    const facts = [data.statuses[answer[STATUS]], cause, ...answer[FLAGS]].join(" · ");
    const box = element("div", "", element("h4", "", isolated(arms[arm])), element("p", "note", facts));
    if (answer[TEXT] === null) box.append(element("p", "note", `${count(answer[LENGTH])} characters, redacted`));
    else if (answer[TEXT] === "") box.append(element("p", "empty", "The answer is empty."));
    else box.append(textBox(answer[TEXT], answer[SPAN], SHOWN, answer[LENGTH]));
    return box;
  }
  function textBox(text, span, limit, length) {
    if (/[\ud800-\udbff]/.test(text.charAt(limit - 1))) limit -= 1;
    const pre = element("pre", "text");
    pre.tabIndex = 0;
    pre.dir = "auto";
    const box = element("div", "", pre);
    fillText(pre, text, span, limit);
    if (text.length > limit) {
      const more = element("button", "quiet more", `Show all ${count(text.length)} characters`);
      more.type = "button";
      more.addEventListener("click", () => { fillText(pre, text, span, Infinity); more.remove(); pre.focus(); });
      box.append(more);
    }
    if (length > data.text_limit) box.append(element("p", "note", `${count(length)} characters in all; the rest is in the stored result.`));
    return box;
  }
  // Blocks of bounded size: laying out one very long line takes time with the square of its length.
  const BLOCK = 4000;
  function fillText(pre, text, span, limit) {
    const end = Math.min(text.length, limit);
    pre.replaceChildren();
    if (end <= 2 * BLOCK) addMarked(pre, text, span, 0, end);
    else for (let from = 0; from < end;) {
      const to = blockEnd(text, from, end);
      pre.append(addMarked(element("span", "block"), text, span, from, to));
      from = to;
    }
    if (text.length > limit) pre.append("…");
  }
  function blockEnd(text, from, end) {
    if (end - from <= BLOCK) return end;
    const newline = text.lastIndexOf("\n", from + BLOCK - 1);
    if (newline >= from) return newline + 1;
    return from + BLOCK - (/[\ud800-\udbff]/.test(text.charAt(from + BLOCK - 1)) ? 1 : 0);
  }
  function addMarked(parent, text, span, from, to) {
    const [start, end] = span ? [Math.max(from, span[0]), Math.min(to, span[1])] : [to, to];
    if (start >= end) return addText(parent, text.slice(from, to));
    addText(parent, text.slice(from, start));
    parent.append(addText(element("mark"), text.slice(start, end)));
    return addText(parent, text.slice(end, to));
  }

  let timer = 0;
  controls.q.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(applyFilters, 120); });
  for (const name of ["slice", "cause", "flip", "metric"]) controls[name].addEventListener("change", applyFilters);
  byId("filters").addEventListener("reset", () => setTimeout(applyFilters));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").hidden = false;
  byId("explorer").hidden = false;
  applyFilters();
})();
