import { expect, test } from "vitest";
import { Scrubber } from "./scrubber.ts";

const TOKEN = "Zx81-Kq_77.hunter2-Lm";
const scrubber = new Scrubber([{ name: "TOKEN", value: TOKEN }]);

test("every occurrence is replaced by the name", () => {
  expect(scrubber.text(`a ${TOKEN}${TOKEN} b ${TOKEN}`)).toBe(
    "a [secret:TOKEN][secret:TOKEN] b [secret:TOKEN]",
  );
});

test("base64 of a header's value is found, whatever stands before and after", () => {
  const inBasic = Buffer.from(`user:${TOKEN}`).toString("base64");
  const inBearer = Buffer.from(`Bearer ${TOKEN}`).toString("base64");
  const inside = Buffer.from(`x${TOKEN}:y`).toString("base64url");

  for (const text of [inBasic, inBearer, inside])
    expect(scrubber.text(text)).toMatch(/^[A-Za-z0-9]{0,12}\[secret:TOKEN\][A-Za-z0-9=]{0,4}$/);
});

test("base64 within a URL or an escaped text is found, also where it has + and /", () => {
  const value = "??>>??>>~~~~???>>>";
  const odd = new Scrubber([{ name: "ODD", value }]);
  const base64 = Buffer.from(value).toString("base64");

  expect(base64).toMatch(/\+.*\/|\/.*\+/);
  for (const text of [base64, encodeURIComponent(base64), base64.replaceAll("/", "\\/")])
    expect(odd.text(`q=${text}&`)).toMatch(/^q=\[secret:ODD\](=|%3D)*&$/);
});

test("encoded text that a tool broke into lines is found, though a break cuts the secret", () => {
  // From byte 45 to 66: over the end of a line of 57 bytes in base64, and of 30 in hex.
  const start = `${"some lines of a file, ".padEnd(39, ".")}TOKEN=`;
  // The last line of the second one is short.
  const files = [`${start}${TOKEN}\n${"more of it ".repeat(9)}`, `${start}${TOKEN}\n`];
  const wrap = (text: string, width: number, mark: string) =>
    (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join(mark);
  const shapes = [(text: string) => text, (text: string) => JSON.stringify({ out: text })];

  for (const [encoding, width] of [
    ["base64", 76],
    ["hex", 60],
  ] as const) {
    const texts = files
      .map((file) => Buffer.from(file).toString(encoding))
      .flatMap((text) => ["\n", "\r\n"].map((mark) => wrap(text, width, mark)))
      .flatMap((text) => shapes.map((shape) => shape(text)));
    for (const text of texts) {
      const clear = scrubber.text(text).replaceAll(/\\n|\\r|\s|\{"out":"/g, "");
      const parts = clear.split("[secret:TOKEN]");
      expect(parts).toHaveLength(2);
      expect(Buffer.from(parts[0] ?? "", encoding).toString()).toBe(start);
    }
  }
});

test("what JSON, URLs and HTML may escape is found in each spelling", () => {
  const value = 'a/b(c)\'<d>&"e"*!~é f';
  const odd = new Scrubber([{ name: "ODD", value }]);
  const strict = (text: string) =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
    );

  for (const text of [
    JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/"),
    "a/b(c)&#39;&lt;d&gt;&amp;&quot;e&quot;*!~é f",
    strict(value),
    strict(value).toLowerCase(),
    encodeURI(value),
    encodeURIComponent(value).replaceAll("%20", "+"),
    'a/b(c)\'<d>&\\"e\\"*!~\\u00E9 f',
  ])
    expect(odd.text(`=${text};`)).toBe("=[secret:ODD];");
});

test("SCRUBBER-1: of two that overlap nothing is left, of one inside another the longer counts", () => {
  const two = new Scrubber([
    { name: "FIRST", value: "abcdefgh12" },
    { name: "SECOND", value: "gh12345678" },
    { name: "INNER", value: "bcdefgh1" },
  ]);
  const url = new Scrubber([{ name: "SHORT", value: "hunter2-" }]);

  expect(two.text("-abcdefgh12345678-")).toBe("-[secret:FIRST][secret:SECOND]-");
  expect(url.text("a://b:hunter2-and-more@c")).toBe("a://b:[secret:url-password]@c");
  expect(two.text("-abcdefgh12-bcdefgh1-")).toBe("-[secret:FIRST]-[secret:INNER]-");
});

test("two secrets that begin alike are told apart, whichever was declared first", () => {
  const values = ["commonstart", "commonstart-long", "commonstart-longer"];
  for (const order of [values, values.toReversed()]) {
    const alike = new Scrubber(order.map((value) => ({ name: `L${value.length}`, value })));
    expect(alike.text(values.join(" "))).toBe("[secret:L11] [secret:L16] [secret:L18]");
  }
});

test("SCRUBBER-2: a name that looks like a secret stays, and only in a marker of ours", () => {
  const alike = new Scrubber([
    { name: "MY_PASSWORD", value: "PASSWORD" },
    { name: "AKIAIOSFODNN7EXAMPLE", value: "somethingelse" },
  ]);

  expect(alike.text("[secret:MY_PASSWORD]")).toBe("[secret:MY_PASSWORD]");
  expect(alike.text("somethingelse")).toBe("[secret:AKIAIOSFODNN7EXAMPLE]");
  expect(alike.text("[secret:PASSWORD]")).toBe("[secret:[secret:MY_PASSWORD]]");
  expect(alike.text("[secret:MY_PASSWORD] PASSWORD")).toBe(
    "[secret:MY_PASSWORD] [secret:MY_PASSWORD]",
  );
});

test("SCRUBBER-2: a marker that completes another secret is no way out", () => {
  const odd = new Scrubber([
    { name: "A", value: "aaaabbbb" },
    { name: "B", value: "]ccccdddd" },
  ]);

  const once = odd.text("aaaabbbbccccdddd");

  expect(once).not.toContain("]ccccdddd");
  expect(odd.text(once)).toBe(once);
});

test("SCRUBBER-3: an escape that a match cuts goes as a whole", () => {
  const n = new Scrubber([{ name: "N", value: "nabcdefgh" }]);
  const slash = new Scrubber([{ name: "S", value: "abcdefgh\\" }]);

  expect(n.text('x: "\\nabcdefgh"')).toBe('x: "[secret:N]"');
  expect(n.text('x: "\\\\nabcdefgh"')).toBe('x: "\\\\[secret:N]"');
  const hex = new Scrubber([{ name: "H", value: "41bcdefgh" }]);
  expect(hex.text('x: "\\u0041bcdefgh"')).toBe('x: "[secret:H]"');
  expect(hex.text('x: "\\u00')).toBe('x: "\\u00');
  expect(slash.text('x: "abcdefgh\\" y"')).toBe('x: "[secret:S] y"');
});

test("SCRUBBER-3: a number and a piece of the document itself become strings", () => {
  const pin = new Scrubber([{ name: "PIN", value: "1234567890" }]);
  const whole = new Scrubber([{ name: "FILE", value: '{"type":"account","id":"x"}' }]);
  const across = new Scrubber([{ name: "ACROSS", value: 'abc":"defgh' }]);

  expect(JSON.parse(pin.text('{"n": 1234567890, "m": 1}'))).toEqual({ n: "[secret:PIN]", m: 1 });
  expect(pin.json({ n: 1234567890, m: [1234567890.5] })).toEqual({
    n: "[secret:PIN]",
    m: ["[secret:PIN].5"],
  });
  expect(JSON.parse(whole.text('{"type":"account","id":"x"}'))).toBe("[secret:FILE]");
  expect(JSON.parse(across.text('{"abc":"defgh"}'))).toBe('{"[secret:ACROSS]"}');
});

test("json: keys and values, at any depth; what needs no change is the same object", () => {
  const clean = { a: [1, { b: "nothing" }], c: null };
  const value = { [TOKEN]: [{ deep: `x ${TOKEN}` }], "[secret:TOKEN]": 1, clean };

  const scrubbed = scrubber.json(value) as Record<string, unknown>;

  expect(scrubbed).toEqual({
    "[secret:TOKEN]": [{ deep: "x [secret:TOKEN]" }],
    "[secret:TOKEN] (2)": 1,
    clean,
  });
  expect(scrubbed["clean"]).toBe(clean);
  expect(scrubber.json(clean)).toBe(clean);
  expect(Object.keys(scrubber.json(JSON.parse(`{"__proto__":"${TOKEN}"}`)) as object)).toEqual([
    "__proto__",
  ]);
});

test("SCRUBBER-4: what cannot be searched for is refused when the scrubber is built", () => {
  for (const value of ["short", "       x       ", "abcdefgh\u{d800}"])
    expect(() => new Scrubber([{ name: "BAD", value }])).toThrow("BAD");
});

test("the white space around a value is no part of the secret", () => {
  expect(new Scrubber([{ name: "T", value: `${TOKEN}\n` }]).text(`(${TOKEN})`)).toBe(
    "([secret:T])",
  );
});

test("SCRUB-STREAM-2: a stream shows what is no secret word by word, and holds back what may become one", () => {
  const stream = scrubber.stream();

  expect(stream.push("one two ")).toBe("one two ");
  expect(stream.push(`thr`)).toBe("");
  expect(stream.push(`ee ${TOKEN.slice(0, 9)}`)).toBe("three ");
  expect(stream.push(TOKEN.slice(9))).toBe("");
  expect(stream.push(" and the end")).toBe("[secret:TOKEN] and the ");
  expect(stream.end()).toBe("end");
});

test("SCRUB-STREAM-2: a key that comes line by line is hidden from its first line on", () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(40)}-----END PRIVATE KEY-----`;
  const stream = new Scrubber([]).stream();

  const shown = (`the key: ${key} and so on`.match(/[^]{1,7}/g) ?? []).map((part) =>
    stream.push(part),
  );

  expect(shown.join("") + stream.end()).toBe("the key: [secret:private-key] and so on");
});

test("a stream never holds more than its bound", () => {
  const stream = new Scrubber([]).stream();
  const head = "-----BEGIN PRIVATE KEY-----\n";
  const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";

  let shown = stream.push(head);
  for (let n = 0; n < 4000; n++) shown += stream.push(line);

  expect(shown).not.toBe("");
  expect(shown.startsWith("[secret:private-key]")).toBe(true);
});
