// Lists of what may be large: a page at a time, and each says how it goes on.

import { isFullPage, type Program } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, TOOLS, until } from "../../helpers/kernel.ts";
import { bootPayer } from "../approvals/asking.ts";

const asker: Program = async (sys, input) => {
  const words = input as string[];
  await Promise.all(words.map((text) => sys.ask(text, { choices: ["yes"] })));
  return null;
};

test("questions come a page at a time, by id, and each of them once", async () => {
  const { kernel } = await bootForTest({
    programs: { asker },
    approvals: { openPerProcess: 50, perHour: 1000 },
  });
  for (const name of ["a", "b"])
    await kernel.spawn({ agent: "asker", input: [`${name}1?`, `${name}2?`, `${name}3?`] });
  await until(async () => (await kernel.countQuestions()) === 6, "six questions");

  const pages = [];
  let after: string | undefined;
  for (;;) {
    const page = await kernel.questions({ limit: 4, after });
    pages.push(page);
    if (!isFullPage(page, 4)) break;
    after = page.at(-1)!.id;
  }

  expect(pages.map((page) => page.length)).toEqual([4, 2]);
  const ids = pages.flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(6);
  expect(ids.toSorted()).toEqual(ids);
});

test("a page of large questions ends early, with whole questions", async () => {
  const LARGE = 95_000;
  const COUNT = 24; // a page has 2,000,000 characters of them: 22
  const eager: Program = async (sys) => {
    const pay = (n: number) => sys.exec("pay", { to: `${n} ${"x".repeat(LARGE)}` });
    await Promise.all(Array.from({ length: COUNT }, (_, n) => pay(n)));
    return null;
  };
  const { kernel } = await bootPayer({
    programs: { eager },
    approvals: { openPerProcess: COUNT, perHour: 1000 },
  });
  await kernel.spawn({ agent: "eager", capabilities: TOOLS });
  await until(async () => (await kernel.countQuestions()) === COUNT, "the questions");

  const page = await kernel.questions();
  const rest = await kernel.questions({ after: page.at(-1)!.id });

  expect(page.length).toBeLessThan(COUNT);
  expect(isFullPage(page)).toBe(true);
  expect(isFullPage(rest)).toBe(false);
  expect(page.length + rest.length).toBe(COUNT);
  for (const { about } of [...page, ...rest]) expect(about!.args.length).toBeGreaterThan(LARGE);
});

test("questions are found by their run, with what it started, by tenant and by id", async () => {
  const above: Program = async (sys) => {
    await sys.wait(await sys.spawn("asker", ["below?"]));
    return null;
  };
  const { kernel } = await bootForTest({
    programs: { asker, above },
    tenants: { x: { ceiling: "none" } },
  });
  const top = await kernel.spawn({ agent: "above", capabilities: ["agent:*:spawn"] });
  const other = await kernel.spawn({ agent: "asker", input: ["other?"], tenant: "x" });
  await until(async () => (await kernel.countQuestions()) === 2, "two questions");
  const words = async (filter: Parameters<typeof kernel.questions>[0]) =>
    (await kernel.questions(filter)).map(({ question }) => question);

  expect(await words({ pid: top })).toEqual(["below?"]);
  expect(await words({ pid: other })).toEqual(["other?"]);
  expect(await words({ tenant: "x" })).toEqual(["other?"]);
  const { id } = (await kernel.questions({ pid: other }))[0]!;
  expect(await words({ id })).toEqual(["other?"]);
  expect(await words({ id: id.slice(0, -3) })).toEqual(["other?"]);
  expect(await words({ id: `${id}.9` })).toEqual([]);
});

test("memory is listed a page at a time, what is still to be written with it, and searched whole", async () => {
  const writer: Program = async (sys) => {
    for (let n = 0; n < 25; n++) await sys.write(`/mem/shared/f${10 + n}`, `word${n} all`);
    await sys.remove("/mem/shared/f10");
    const listed = await sys.list("/mem/shared");
    const found = await sys.search("/mem/shared", "word24", { limit: 3 });
    return [listed, found.map(({ path }) => path)];
  };
  const { kernel } = await bootForTest({ programs: { writer } });
  const paths = Array.from({ length: 24 }, (_, n) => `/mem/shared/f${11 + n}`);
  const capabilities = ["memory:/mem/**:read,write,list,remove,search"];
  const pid = await kernel.spawn({ agent: "writer", capabilities });
  const { output } = await kernel.wait(pid);

  const first = await kernel.memory(pid, "/mem", { limit: 10 });
  const second = await kernel.memory(pid, "/mem", { limit: 10, after: first.next! });
  const third = await kernel.memory(pid, "/mem", { limit: 10, after: second.next! });

  expect(output).toEqual([paths, ["/mem/shared/f34"]]);
  expect([first, second, third].flatMap(({ files }) => files.map(({ path }) => path))).toEqual(
    paths,
  );
  expect([first.next, second.next, third.next]).toEqual([paths[9], paths[19], null]);
  expect(first.files[0]).toMatchObject({ bytes: JSON.stringify("word1 all").length, writer: pid });
});

test("a page of a journal is that page, read alone", async () => {
  const steps: Program = async (sys) => {
    for (let n = 0; n < 8; n++) await sys.now();
    return null;
  };
  const { kernel } = await bootForTest({ programs: { steps } });
  const pid = await kernel.spawn({ agent: "steps" });
  await kernel.wait(pid);
  const all = await kernel.journal(pid);

  expect(await kernel.journal(pid, { after: 2, limit: 3 })).toEqual(all.slice(3, 6));
  expect(await kernel.journal(pid, { limit: 2 })).toEqual(all.slice(0, 2));
  expect(await kernel.journal(pid, { after: all.length - 2, limit: 5 })).toEqual(all.slice(-1));
});
