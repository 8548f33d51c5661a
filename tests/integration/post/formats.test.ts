// The wire formats of mail, Slack and Telegram, against local servers that speak them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  agentWords,
  type Notice,
  noticeMail,
  replyMail,
  sendMail,
  sendSlack,
  sendTelegram,
  sendWebhook,
} from "@aos/drivers/post";
import { type FakeService, startFakeService } from "../../helpers/post/fake-service.ts";
import {
  type FakeSmtp,
  type FakeSmtpOptions,
  startFakeSmtp,
} from "../../helpers/post/fake-smtp.ts";

const EVIL = agentWords(
  "<script>x</script> *bold* <@U1> <!channel> [a](https://evil.example)\r\nBcc: eve@evil.example\n.\n.dot\u202e",
);
const notice: Notice = {
  id: "ntf_0011",
  event: "approval",
  title: "mailer & co asks <now>",
  facts: [["process", "agt_1"]],
  quoted: [["Question", EVIL]],
  warning: "What follows are words of an agent.",
  link: "https://aos.example/answer/abc.def",
  command: "aos approvals show ask_1",
};
const means = { isPrivate: false, signal: new AbortController().signal };

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterEach(() => void service.received.splice(0));
afterAll(() => service.close());

describe("Slack", () => {
  const target = () => ({ token: "xoxb-1", channel: "C1", api: `${service.url}/api` });

  test("gets words of agents as plain text, which mention and link nobody (SLACK-1)", async () => {
    const result = await sendSlack(notice, target(), means);

    const [{ path, headers, body }] = service.received as [(typeof service.received)[number]];
    expect(result).toMatchObject({ ok: true });
    expect([path, headers.authorization]).toEqual(["/api/chat.postMessage", "Bearer xoxb-1"]);
    const blocks = body["blocks"] as { text?: { type: string; text: string } }[];
    const marked = blocks
      .filter(({ text }) => text?.type === "mrkdwn")
      .map(({ text }) => text!.text);
    expect(marked.join("\n")).not.toMatch(/script|@U1|evil/);
    expect(marked.join("\n")).toContain("*mailer &amp; co asks &lt;now&gt;*");
    expect(marked.join("\n")).toContain("<https://aos.example/answer/abc.def|Show and answer>");
    const plain = blocks
      .filter(({ text }) => text?.type === "plain_text")
      .map(({ text }) => text!.text);
    expect(plain.join("\n")).toContain("<!channel>");
    expect(plain.join("\n")).not.toContain("https://evil");
    expect(body).toMatchObject({ channel: "C1", unfurl_links: false });
  });

  test("errors, rate limits and wrong tokens are told apart", async () => {
    service.answers.push(
      { status: 429, headers: { "retry-after": "30" }, body: { ok: false, error: "ratelimited" } },
      { body: { ok: false, error: "internal_error" } },
      { body: { ok: false, error: "invalid_auth" } },
      { status: 302, headers: { location: "http://127.0.0.1:1/" } },
    );

    const results = [];
    for (let n = 0; n < 4; n++) results.push(await sendSlack(notice, target(), means));

    expect(results).toMatchObject([
      { ok: false, isFinal: false, retryAfterMs: 30_000 },
      { ok: false, isFinal: false },
      { ok: false, isFinal: true, why: "Slack: invalid_auth" },
      { ok: false, isFinal: true },
    ]);
  });

  test("an incoming webhook takes the same blocks", async () => {
    service.answers.push({ body: "ok" });

    expect(
      await sendSlack(notice, { webhook: `${service.url}/services/T/B/x` }, means),
    ).toMatchObject({
      ok: true,
    });
    expect(service.received[0]!.path).toBe("/services/T/B/x");
  });
});

describe("Telegram", () => {
  const target = () => ({ token: "12:secret-token", chat: "77", api: service.url });

  test("gets no markup, and words of agents as `pre` by their place (TELEGRAM-1)", async () => {
    service.answers.push({ body: { ok: true, result: { message_id: 1 } } });

    const result = await sendTelegram(notice, target(), means);

    const [{ path, body }] = service.received as [(typeof service.received)[number]];
    const { text, entities } = body as {
      text: string;
      entities: { type: string; offset: number; length: number }[];
    };
    expect(result).toMatchObject({ ok: true });
    expect(path).toBe("/bot12:secret-token/sendMessage");
    expect(body).toMatchObject({ chat_id: "77", link_preview_options: { is_disabled: true } });
    expect(body).not.toHaveProperty("parse_mode");
    const pre = entities.find(({ type }) => type === "pre")!;
    expect(text.slice(pre.offset, pre.offset + pre.length)).toBe(EVIL);
    expect(text.length).toBeLessThanOrEqual(4096);
  });

  test("long words are cut within its limit, and the link stays", async () => {
    const long = { ...notice, quoted: [["Question", "x".repeat(9000)]] as const };

    await sendTelegram(long, target(), means);

    const text = String(service.received[0]!.body["text"]);
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text).toContain(notice.link);
  });

  test("retry_after is heard, and no error has the token (TELEGRAM-2)", async () => {
    service.answers.push(
      {
        status: 429,
        body: {
          ok: false,
          error_code: 429,
          description: "Too Many",
          parameters: { retry_after: 9 },
        },
      },
      { status: 403, body: { ok: false, error_code: 403, description: "Forbidden: blocked" } },
      { status: 502, body: "bad gateway" },
    );
    const results = [];
    for (let n = 0; n < 3; n++) results.push(await sendTelegram(notice, target(), means));
    const gone = await sendTelegram(notice, { ...target(), api: "http://127.0.0.1:1" }, means);

    expect(results).toMatchObject([
      { isFinal: false, retryAfterMs: 9000 },
      { isFinal: true },
      { isFinal: false },
    ]);
    expect(gone).toMatchObject({ ok: false, isFinal: false });
    expect(JSON.stringify([results, gone])).not.toContain("secret-token");
  });
});

test("an address that leads to a private network is refused unless that is meant (HTTP-POST-1)", async () => {
  const named = { url: "http://aos.test.localhost.evil.example/" };
  const result = await sendWebhook(notice, named, means);
  expect(result.ok).toBe(false);

  const literal = await sendWebhook(notice, { url: `${service.url}/x` }, means);
  expect(literal.ok).toBe(true);
});

describe("mail", () => {
  let folder: string;
  let tls: { key: string; cert: string };
  let smtp: FakeSmtp | undefined;
  const envelope = {
    from: "Agent OS <aos@example.com>",
    to: ["alice@example.com", "b@example.com"],
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "aos-smtp-"));
    const [key, cert] = [join(folder, "key"), join(folder, "cert")];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", cert], {
      stdio: "ignore",
    });
    tls = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  });
  afterEach(async () => {
    await smtp?.close();
    smtp = undefined;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = async (options: FakeSmtpOptions = {}) => (smtp = await startFakeSmtp(options));
  const auth = (way: "PLAIN" | "LOGIN") => ({ way, user: "aos", pass: "s3cret" });
  const server = (more: object = {}) => ({
    host: "localhost",
    port: smtp!.port,
    security: "starttls" as const,
    ca: tls.cert,
    user: "aos",
    password: "s3cret",
    ...more,
  });
  const send = (more: object = {}) =>
    sendMail(noticeMail(notice, envelope), envelope, server(more), means);

  test.each(["PLAIN", "LOGIN"] as const)(
    "is handed over by STARTTLS and AUTH %s (SMTP-1)",
    async (way) => {
      await start({ tls, auth: auth(way) });

      const result = await send();

      expect(result).toEqual({ ok: true });
      expect(smtp!.mails).toMatchObject([{ isSecure: true, user: "aos" }]);
      expect(smtp!.mails[0]!.to).toHaveLength(2);
      expect(smtp!.lines.filter((line) => !line.startsWith("tls "))).toEqual([
        "EHLO localhost",
        "STARTTLS",
      ]);
    },
  );

  test("has no header of an agent's making, and its words are escaped (POST-MAIL-1, POST-MAIL-2)", async () => {
    await start({ tls, auth: auth("PLAIN") });
    const odd = { ...notice, title: "grüße\r\nBcc: eve@evil.example" };

    await sendMail(noticeMail(odd, envelope), envelope, server(), means);

    const [head, ...rest] = smtp!.mails[0]!.text.split("\r\n\r\n");
    expect(head).not.toMatch(/^Bcc/im);
    expect(head).toMatch(/^Subject: =\?utf-8\?B\?/m);
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
    const bodies = rest.map((part) => Buffer.from(part.split("--aos")[0]!, "base64").toString());
    const html = bodies.find((body) => body.includes("<!doctype"))!;
    expect(html).not.toMatch(/<script|https:\/\/evil/);
    expect(html).toContain("&lt;script&gt;");
    expect(html.match(/<a /g)).toHaveLength(1);
  });

  test("is not said in the clear to a server without STARTTLS", async () => {
    await start();

    expect(await send()).toMatchObject({ ok: false, isFinal: true });
    expect(smtp!.lines).toEqual(["EHLO localhost"]);
  });

  test("is not handed to a server whose certificate is nobody's", async () => {
    await start({ tls });

    const result = await send({ ca: undefined });

    expect(result).toMatchObject({ ok: false, isFinal: false });
    expect(smtp!.mails).toEqual([]);
  });

  test("refusals with 4xx are tried again, with 5xx not, and 250 alone is sent (SMTP-3)", async () => {
    await start();
    const plain = { security: "none", user: undefined, password: undefined };
    smtp!.replies.set("RCPT", "450 later");
    const later = await send(plain);
    smtp!.replies.set("RCPT", "550 no such user");
    const never = await send(plain);
    smtp!.replies.set("BODY", "451 try again");
    const body = await send(plain);
    const wrong = await send({ ...plain, port: 1 });

    expect([later, never, body, wrong]).toMatchObject([
      { ok: false, isFinal: false },
      { ok: false, isFinal: true },
      { ok: false, isFinal: false },
      { ok: false, isFinal: false },
    ]);
    expect(smtp!.mails).toEqual([]);
  });

  test("lines that begin with a dot arrive as they are (SMTP-4)", async () => {
    await start();
    const text = "Subject: x\r\n\r\n.\r\n.dot\r\nend\n";

    await sendMail(text, envelope, server({ security: "none", user: undefined }), means);

    expect(smtp!.mails[0]!.text).toBe("Subject: x\r\n\r\n.\r\n.dot\r\nend");
  });

  test("an address that would be another command is refused", async () => {
    await start();
    const evil = { ...envelope, to: ["a@b.example>\r\nRCPT TO:<eve@evil.example"] };

    const result = await sendMail("x", evil, server({ security: "none", user: undefined }), means);

    expect(result).toMatchObject({ ok: false, isFinal: true });
    expect(smtp!.lines.join("\n")).not.toContain("eve");
  });

  test("an answer goes into its thread, and says that a program wrote it", () => {
    const place = { message: "<1@x>", references: "<0@x> <1@x>", subject: "Re: hi" };
    const mail = replyMail({ id: "rpl_1", text: "done", place }, envelope, 0);

    expect(mail).toContain("In-Reply-To: <1@x>\r\nReferences: <0@x> <1@x>");
    expect(mail).toContain("Auto-Submitted: auto-replied");
  });
});
