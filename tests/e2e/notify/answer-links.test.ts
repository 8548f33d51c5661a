// Links of notifications: a person answers by one, once; nobody else, nothing else, and never by looking.

import { createHmac } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { signLink, type AnswerLink } from "@aos/daemon/parts";
import { stores } from "../../helpers/stores.ts";
import { until } from "../../helpers/kernel.ts";
import { openNotifyDoor, type NotifyDoor } from "./notify-door.ts";

const KEY = "the key of this webhook";
let open: NotifyDoor | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

const rows = (url: string) => ({
  phone: { kind: "webhook", url: `${url}/hook`, secret: "HOOK_KEY", person: "alice" },
});

async function opened(store = stores[0]!): Promise<NotifyDoor> {
  open = await openNotifyDoor(rows, { store });
  const bindings = [{ kind: "service", service: "notify:phone" }] as never[];
  await open.door.kernel.setSecret({ name: "HOOK_KEY", value: KEY, bindings }, "tester");
  return open;
}

const choose = (link: string, choice: string, digest: string, more: Record<string, string> = {}) =>
  fetch(link, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...more },
    body: new URLSearchParams({ choice, digest }),
  });

const digestIn = (page: string): string => /name="digest" value="([^"]+)"/.exec(page)![1]!;

describe.each(stores)("on $name", (store) => {
  test("a person answers by the link of a signed webhook, once (ANSWER-ROUTES-2)", async () => {
    const { door, service, link } = await opened(store);
    const pid = await door.spawn("ask");
    const url = await link();
    const page = await (await fetch(url)).text();
    const [{ headers, text }] = service.received as [(typeof service.received)[number]];

    const first = await choose(url, "yes", digestIn(page), { origin: door.url });
    const again = await choose(url, "no", digestIn(page));

    const id = String(headers["webhook-id"]);
    const time = String(headers["webhook-timestamp"]);
    const mac = createHmac("sha256", KEY).update(`${id}.${time}.${text}`).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${mac}`);
    expect(JSON.parse(text)).toMatchObject({ type: "aos.approval", id });
    expect([first.status, again.status]).toEqual([200, 410]);
    expect(await again.text()).toContain("alice used a link");
    expect(await door.kernel.wait(pid)).toMatchObject({ state: "completed", output: "yes" });
    const entries = (await door.kernel.ledger()).filter(({ what }) => what === "question.answer");
    expect(entries).toMatchObject([{ by: "alice", detail: { choice: "yes" } }]);
  });
});

describe("a link", () => {
  test("that is looked at, however often and how, answers nothing (ANSWER-ROUTES-1)", async () => {
    const { door, link } = await opened();
    await door.spawn("ask");
    const url = await link();

    for (const method of ["GET", "HEAD", "GET"]) await fetch(url, { method });
    const looked = await fetch(`${url}?choice=yes`);

    expect(looked.status).toBe(200);
    expect(looked.headers.get("referrer-policy")).toBe("same-origin");
    expect(looked.headers.get("cache-control")).toBe("no-store");
    expect(await looked.text()).not.toMatch(/<script/i);
    expect(await door.kernel.questions()).toHaveLength(1);
  });

  test("that was changed or made by another is refused, and the ledger has it (ANSWER-LINK-1)", async () => {
    const { door, link } = await opened();
    await door.spawn("ask");
    const url = await link();
    const digest = digestIn(await (await fetch(url)).text());
    const [start, body, code] = /^(.*\/answer\/)([^.]+)\.(.+)$/.exec(url)!.slice(1) as string[];
    const claim = JSON.parse(Buffer.from(body!, "base64url").toString()) as object;
    const other = Buffer.from(JSON.stringify({ ...claim, p: "mallory" })).toString("base64url");
    const own = createHmac("sha256", "guess").update(body!).digest("base64url");

    const answers = await Promise.all(
      [`${other}.${code}`, `${body}.${own}`, `${body}.`, `${body}`, `${body}.${code}.x`].map(
        (one) => choose(`${start}${one}`, "yes", digest),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(await door.kernel.questions()).toMatchObject([{ votes: [] }]);
    const entries = (await door.kernel.ledger()).filter(({ what }) => what === "answer.refuse");
    expect(entries).toHaveLength(1);
  });

  test("that is over, of another act, tenant, target or person is refused, although it is signed", async () => {
    const { door } = await opened();
    await door.spawn("ask");
    await until(async () => (await door.kernel.questions()).length === 1);
    const [question] = await door.kernel.questions();
    const sound: AnswerLink = {
      question: question!.id,
      digest: question!.digest,
      person: "alice",
      target: "phone",
      tenant: "default",
      expiresAt: Date.now() + 3_600_000,
    };
    const asked = async (more: Partial<AnswerLink>) => {
      const token = await signLink(door.kernel, { ...sound, ...more });
      return (await choose(`${door.url}/answer/${token}`, "yes", question!.digest)).status;
    };

    expect([
      await asked({ expiresAt: Date.now() - 1000 }),
      await asked({ digest: "another" }),
      await asked({ tenant: "a" }),
      await asked({ target: "gone" }),
      await asked({ person: "bob" }),
      await asked({ person: question!.pid }),
      await asked({ question: "ask_nothing" }),
    ]).toEqual([410, 410, 410, 410, 410, 410, 410]);
    expect(await door.kernel.questions()).toMatchObject([{ votes: [] }]);
    expect(await asked({})).toBe(200);
  });

  test("for a question that somebody else has answered says who did (ANSWER-ROUTES-4)", async () => {
    const { door, link } = await opened();
    const pid = await door.spawn("ask");
    const url = await link();
    const digest = digestIn(await (await fetch(url)).text());
    const [question] = await door.kernel.questions({ pid });
    await door.kernel.answer(question!.id, { by: "bob", choice: "no" });

    const late = await choose(url, "yes", digest);

    expect(late.status).toBe(410);
    expect(await late.text()).toContain("bob answered no");
  });

  test("posted from another site's page, or for another form, answers nothing", async () => {
    const { door, link } = await opened();
    await door.spawn("ask");
    const url = await link();
    const digest = digestIn(await (await fetch(url)).text());

    const foreign = await choose(url, "yes", digest, { origin: "https://evil.example" });
    const otherForm = await choose(url, "yes", "of another act");
    const nothing = await choose(url, "", digest);
    const unknown = await choose(url, "perhaps", digest);

    const statuses = [foreign, otherForm, nothing, unknown].map(({ status }) => status);
    expect(statuses).toEqual([403, 400, 400, 409]);
    expect((await choose(url, "yes", digest)).status).toBe(200); // a refused answer frees it
  });

  test("of ten posts at once is good for one answer (ANSWER-ROUTES-2)", async () => {
    const { door, link } = await opened();
    const pid = await door.spawn("ask");
    const url = await link();
    const digest = digestIn(await (await fetch(url)).text());

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => choose(url, n % 2 === 0 ? "yes" : "no", digest)),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await door.kernel.wait(pid);
    const entries = (await door.kernel.ledger()).filter(({ what }) => what === "question.answer");
    expect(entries).toHaveLength(1);
  });

  test("of a person over two targets counts once, and both are used up", async () => {
    open = await openNotifyDoor((url) => ({
      phone: { kind: "webhook", url: `${url}/a`, person: "alice" },
      desk: { kind: "webhook", url: `${url}/b`, person: "alice" },
    }));
    await open.door.spawn("ask");
    await until(() => open!.service.received.length === 2);
    const links = open.service.received.map(
      ({ text }) => /https?:[^"\s]*\/answer\/[\w.-]+/.exec(text)![0],
    );
    const digest = digestIn(await (await fetch(links[0]!)).text());

    const answers = [
      await choose(links[0]!, "yes", digest),
      await choose(links[1]!, "yes", digest),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 410]);
  });
});
