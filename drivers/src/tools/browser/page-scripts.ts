// Page scripts: what is asked of a page from inside it. They run in a world of their own: they see the
// page's elements, and are invisible to the page's scripts.
//
// Each is the body of a function that has `request`, and gives JSON: what was asked for, or { failed }.
// They are text, because they are for the browser, and no word of ours may be wrapped around them.

const BASICS = String.raw`
const CLICKABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary, label, [role=button], [role=link], [role=tab], [role=menuitem], [role=checkbox], [onclick], [contenteditable=true]";
const clean = (text, most = 200) => String(text ?? "").replace(/\s+/g, " ").trim().slice(0, most);
const fail = (code, message) => ({ failed: { code, message } });
const isVisible = (el) => el.checkVisibility({ visibilityProperty: true }) && el.getClientRects().length > 0;
const isOnly = (selector) => document.querySelectorAll(selector).length === 1;
const nameOf = (el) => {
  const label = el.labels?.[0]?.innerText;
  const isButton = ["submit", "button", "reset"].includes(el.type);
  const said = [el.getAttribute("aria-label"), label, el.innerText, isButton ? el.value : "", el.getAttribute("placeholder"), el.getAttribute("title"), el.querySelector?.("img[alt]")?.alt];
  return said.map((one) => clean(one)).find((one) => one !== "") ?? "";
};
const selectorOf = (el) => {
  const id = el.getAttribute("id");
  if (id && isOnly("#" + CSS.escape(id))) return "#" + CSS.escape(id);
  const tag = CSS.escape(el.localName);
  for (const key of ["name", "data-testid", "aria-label", "href"]) {
    const value = el.getAttribute(key);
    if (!value || value.length > 100 || /[\u0000-\u001f]/.test(value)) continue;
    const selector = tag + "[" + key + '="' + value.replace(/["\\]/g, "\\$&") + '"]';
    if (isOnly(selector)) return selector;
  }
  const parent = el.parentElement;
  if (parent === null) return tag;
  const alike = [...parent.children].filter((child) => child.localName === el.localName);
  const step = alike.length === 1 ? tag : tag + ":nth-of-type(" + (alike.indexOf(el) + 1) + ")";
  return (parent === document.body ? "body" : selectorOf(parent)) + " > " + step;
};
const bySelector = (selector) => {
  let found;
  try { found = document.querySelectorAll(selector); } catch { return fail("EINVAL", "it is no CSS selector: " + selector); }
  return found.length === 0 ? fail("ENOENT", "no element fits " + selector) : { el: [...found].find(isVisible) ?? found[0] };
};
const byText = (text) => {
  const wanted = clean(text).toLowerCase();
  const all = [...document.querySelectorAll(CLICKABLE)].filter((el) => el.localName !== "label" && isVisible(el));
  const said = all.map((el) => [el, nameOf(el).toLowerCase()]);
  const exact = said.filter(([, name]) => name === wanted);
  const found = exact.length > 0 ? exact : said.filter(([, name]) => name.includes(wanted));
  if (found.length === 1) return { el: found[0][0] };
  if (found.length === 0) return fail("ENOENT", "nothing that can be clicked says " + JSON.stringify(text));
  return fail("EINVAL", found.length + " elements say that; use one of the selectors: " + found.slice(0, 5).map(([el]) => selectorOf(el)).join(", "));
};
const fire = (el) => { for (const name of ["input", "change"]) el.dispatchEvent(new Event(name, { bubbles: true })); };
`;

const ROOT = String.raw`
const from = request.selector === undefined ? { el: document.body ?? document.documentElement } : bySelector(request.selector);
if (from.failed) return from;
const cutAt = (text) => ({ text: text.slice(0, request.limit), cut: text.length > request.limit });
`;

/** request: { selector?, limit } → { text, cut } */
const TEXT = String.raw`${ROOT}
return cutAt(from.el.innerText ?? from.el.textContent ?? "");
`;

/** request: { selector?, limit } → { text, cut } */
const MARKDOWN = String.raw`${ROOT}
const LEFT_OUT = new Set(["script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "video", "audio", "input", "textarea", "select"]);
const FENCE = "\x60".repeat(3);
const write = (node) => {
  if (node.nodeType === Node.TEXT_NODE) return node.data.replace(/\s+/g, " ");
  if (node.nodeType !== Node.ELEMENT_NODE || LEFT_OUT.has(node.localName)) return "";
  const { display, visibility } = getComputedStyle(node);
  if (display === "none" || visibility !== "visible") return "";
  const tag = node.localName;
  if (tag === "br") return "\n";
  if (tag === "pre") return "\n\n" + FENCE + "\n" + node.innerText + "\n" + FENCE + "\n\n";
  if (tag === "img") return node.alt === "" ? "" : "![" + clean(node.alt) + "]";
  const inside = [...node.childNodes].map(write).join("");
  const line = clean(inside, 10000);
  const heading = /^h([1-6])$/.exec(tag);
  if (heading) return line === "" ? "" : "\n\n" + "#".repeat(Number(heading[1])) + " " + line + "\n\n";
  if (tag === "a" && /^https?:/.test(node.href)) return line === "" ? "" : "[" + line + "](" + node.href + ")";
  if (tag === "li") return "\n- " + inside.trim().replace(/\n+/g, "\n  ");
  if (tag === "td" || tag === "th") return " " + line + " |";
  if (tag === "tr") return "\n|" + inside + "\n";
  return display.startsWith("inline") || display === "contents" ? inside : "\n\n" + inside.trim() + "\n\n";
};
return cutAt(write(from.el).replace(/[ \t]+\n/g, "\n").replace(/\n[ \t]+(?!- )/g, "\n").replace(/\n{3,}/g, "\n\n").trim());
`;

/** request: { selector?, most } → { elements, cut } */
const ELEMENTS = String.raw`${ROOT}
const all = [...from.el.querySelectorAll(CLICKABLE)].filter((el) => el.localName !== "label" && isVisible(el));
const describe = (el) => ({
  selector: selectorOf(el),
  tag: el.localName,
  ...(el.type && el.localName !== "a" ? { type: clean(el.type) } : {}),
  name: nameOf(el),
  ...(el.localName === "a" ? { href: clean(el.href, 500) } : {}),
  ...(["input", "textarea", "select"].includes(el.localName) && el.type !== "password" ? { value: clean(el.value) } : {}),
  ...(["checkbox", "radio"].includes(el.type) ? { checked: el.checked === true } : {}),
  ...(el.localName === "select" ? { options: [...el.options].slice(0, 50).map((option) => clean(option.text, 80)) } : {}),
  ...(el.disabled === true ? { disabled: true } : {}),
});
return { elements: all.slice(0, request.most).map(describe), cut: all.length > request.most };
`;

/** request: { selector } or { text } → { x, y }, where a click meets it */
const LOCATE = String.raw`
const found = request.selector === undefined ? byText(request.text) : bySelector(request.selector);
if (found.failed) return found;
const { el } = found;
el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
if (!isVisible(el)) return fail("ESTATE", "the element is not visible");
if (el.disabled === true) return fail("ESTATE", "the element is disabled");
const box = [...el.getClientRects()].find(({ width, height }) => width > 0 && height > 0);
if (box === undefined) return fail("ESTATE", "the element has no size");
const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
const top = document.elementFromPoint(x, y);
const isHit = top !== null && (el.contains(top) || top.contains(el) || [...(el.labels ?? [])].some((label) => label.contains(top)));
return isHit ? { x, y } : fail("ESTATE", "the element is covered" + (top === null ? "" : " by " + selectorOf(top)));
`;

/** request: { selector, value } → { isTyped }: true where the value is still to be typed */
const FILL = String.raw`
const found = bySelector(request.selector);
if (found.failed) return found;
const { el } = found;
const { value } = request;
if (!isVisible(el)) return fail("ESTATE", "the field is not visible");
if (el.disabled === true || el.readOnly === true) return fail("ESTATE", "the field cannot be changed");
el.scrollIntoView({ block: "center", behavior: "instant" });
if (el.localName === "select") {
  const options = [...el.options];
  const option = options.find((one) => one.value === value) ?? options.find((one) => clean(one.text) === clean(value));
  if (option === undefined) return fail("ENOENT", "the choices are: " + options.slice(0, 30).map((one) => clean(one.text, 60)).join(", "));
  el.value = option.value;
  fire(el);
  return { isTyped: false };
}
if (el.localName === "input" && ["checkbox", "radio"].includes(el.type)) {
  if (!["true", "false"].includes(value)) return fail("EINVAL", "the value of a box is true or false");
  if (String(el.checked) !== value) el.click();
  return { isTyped: false };
}
if (el.localName === "input" && ["file", "submit", "button", "reset", "image", "hidden"].includes(el.type)) return fail("EINVAL", "a field of the type " + el.type + " cannot be filled");
const isText = el.localName === "textarea" || (el.localName === "input" && ["text", "search", "url", "tel", "email", "password", "number"].includes(el.type));
if (!isText && !el.isContentEditable) {
  if (el.localName !== "input") return fail("EINVAL", "it is no field");
  el.value = value;
  if (el.value !== value) return fail("EINVAL", "the field does not take this value");
  fire(el);
  return { isTyped: false };
}
el.focus();
if (isText) el.value = "";
else getSelection().selectAllChildren(el);
if (value === "" && isText) fire(el);
return { isTyped: value !== "" || !isText };
`;

export const pageScripts = {
  text: TEXT,
  markdown: MARKDOWN,
  elements: ELEMENTS,
  locate: LOCATE,
  fill: FILL,
} as const;

export type PageScript = keyof typeof pageScripts;

export const expressionOf = (script: PageScript, request: object): string =>
  `((request) => {${BASICS}${pageScripts[script]}})(${JSON.stringify(request)})`;
