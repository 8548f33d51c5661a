import { expect, test } from "vitest";
import { extractEntries } from "./extract-text.ts";

/** A PDF of two pages, each with one line of text. */
function pdfOf(...lines: readonly string[]): Buffer {
  const kids = lines.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...lines.flatMap((line, at) => {
      const drawn = `BT /F1 12 Tf 72 700 Td (${line}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      ];
    }),
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.from(
    `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    "latin1",
  );
}

const contentOf = async (file: string, content: string | Buffer) => {
  const entries = await extractEntries(file, Buffer.from(content));
  return Promise.all(entries.map(async ({ name, content: make }) => ({ name, ...(await make()) })));
};

test("HTML keeps its headings, and loses what no reader sees", async () => {
  const html =
    "<html><head><style>p{}</style></head><body><h2>Ports</h2><p>The gateway uses <a href='x'>8080</a>.</p><script>track()</script><p hidden>hidden</p></body></html>";

  expect(await contentOf("a.html", html)).toEqual([
    { name: "", text: "## Ports\n\nThe gateway uses 8080." },
  ]);
});

test("a PDF is text by pages", async () => {
  const [only] = await contentOf("a.pdf", pdfOf("The port is 8080.", "The key is rotated yearly."));

  expect(only).toMatchObject({
    text: "# Page 1\n\nThe port is 8080.\n\n# Page 2\n\nThe key is rotated yearly.",
  });
});

const MAIL = (subject: string, body: string) =>
  [
    "From: Ada Lovelace <ada@example.com>",
    "To: bob@example.com",
    `Subject: ${subject}`,
    "Date: Wed, 04 Mar 2026 10:11:00 +0000",
    "Message-ID: <1@example.com>",
    "Content-Type: text/plain; charset=utf-8",
    "",
    body,
  ].join("\n");

test("a mail has its author, subject and date", async () => {
  const [only] = await contentOf("a.eml", MAIL("Port", "We take 8080."));

  expect(only).toMatchObject({
    author: "Ada Lovelace",
    title: "Port",
    date: "2026-03-04T10:11:00.000Z",
  });
  expect((only as { text: string }).text.trim()).toBe("We take 8080.");
});

test("MAIL-TEXT-1: each message of a mailbox keeps its name and digest when another comes before it", async () => {
  const line = "From ada@example.com Wed Mar  4 10:11:00 2026\n";
  const [one, two] = [MAIL("Port", "We take 8080.\n\n>From now on."), MAIL("Key", "Yearly.")];
  const before = await extractEntries("in.mbox", Buffer.from(`${line}${one}\n\n`));

  const after = await extractEntries("in.mbox", Buffer.from(`${line}${two}\n\n${line}${one}\n\n`));

  expect(after).toHaveLength(2);
  expect(after[1]).toMatchObject({ name: before[0]!.name, digest: before[0]!.digest });
  expect(await before[0]!.content()).toMatchObject({ text: expect.stringContaining("\nFrom now") });
});

test.each([
  [
    "slack.json",
    JSON.stringify([
      {
        type: "message",
        user: "U1",
        user_profile: { real_name: "Ada" },
        text: "8080?",
        ts: "1772619060.000100",
      },
      { type: "message", user: "U2", text: "Yes.", ts: "1772619070.000200" },
    ]),
    [
      { speaker: "Ada", text: "8080?", date: "2026-03-04T10:11:00.000Z" },
      { speaker: "U2", text: "Yes.", date: "2026-03-04T10:11:10.000Z" },
    ],
  ],
  [
    "chat.jsonl",
    '{"role":"user","content":"which port"}\n\n{"role":"assistant","content":[{"type":"text","text":"8080"}]}\n',
    [
      { speaker: "user", text: "which port", line: 1 },
      { speaker: "assistant", text: "8080", line: 3 },
    ],
  ],
  [
    "whatsapp.txt",
    "04/03/2026, 10:11 - Ada: which port?\n04/03/2026, 10:12 - Bob: 8080\nfor now\n04/03/2026, 10:13 - Ada: ok\n",
    [
      { speaker: "Ada", text: "which port?", date: "04/03/2026", line: 1 },
      { speaker: "Bob", text: "8080\nfor now", date: "04/03/2026", line: 2 },
      { speaker: "Ada", text: "ok", date: "04/03/2026", line: 4 },
    ],
  ],
  [
    "irc.log",
    "[10:11] <ada> which port?\n[10:12] <bob> 8080\n[10:13] <ada> ok\n",
    [
      { speaker: "ada", text: "which port?", line: 1 },
      { speaker: "bob", text: "8080", line: 2 },
      { speaker: "ada", text: "ok", line: 3 },
    ],
  ],
])("%s is a conversation", async (file, content, turns) => {
  expect(await contentOf(file, content)).toEqual([{ name: "", turns }]);
});

test("an export of several conversations has an entry for each", async () => {
  const message = (role: string, text: string, at: number) => ({
    message: { author: { role }, content: { parts: [text] }, create_time: at },
  });
  const chats = [
    {
      title: "Ports",
      mapping: {
        b: message("assistant", "8080", 1772619070),
        a: message("user", "which port", 1772619060),
      },
    },
    { title: "Keys", mapping: { a: message("user", "how often", 1772619080) } },
  ];

  const found = await contentOf("conversations.json", JSON.stringify(chats));

  expect(found.map(({ name }) => name)).toEqual(["00001 Ports", "00002 Keys"]);
  expect(found[0]).toMatchObject({ turns: [{ text: "which port" }, { text: "8080" }] });
});

test.each([
  ["package.json", '{"name":"x","author":"Ada"}'],
  ["notes.txt", "The port is 8080.\nNote: it changes.\nAnd more.\n"],
  ["main.ts", "export const port = 8080;\n"],
])("CHAT-LOG-1: %s is text as it is", async (file, content) => {
  expect(await contentOf(file, content)).toEqual([{ name: "", text: content }]);
});

test("EXTRACT-2: what is not UTF-8 is binary", async () => {
  expect(await contentOf("a.md", Buffer.from([0x50, 0xff, 0xfe]))).toEqual([
    { name: "", skip: "binary" },
  ]);
  expect(await contentOf("a.md", Buffer.from("a\0b"))).toEqual([{ name: "", skip: "binary" }]);
});
