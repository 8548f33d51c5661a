import { afterEach, beforeEach, expect, test } from "vitest";
import { CHAIN_START } from "../journal/chain.ts";
import { Journal } from "../journal/journal.ts";
import { defaultApprovals } from "../options.ts";
import { systemPlatform } from "../platform/clock.ts";
import type { Store } from "../store/contract.ts";
import { openStore } from "../store/open.ts";
import { Channels } from "./channels.ts";
import { Questions, type QuestionDraft } from "./questions.ts";

const end = { key: 1, pid: "agt_1", tenant: 1, epoch: 1, seq: -1, hash: CHAIN_START };

let store: Store;
let journal: Journal;
let questions: Questions;

beforeEach(async () => {
  store = await openStore("memory");
  journal = new Journal(store, systemPlatform, {
    fenced: () => {},
    failure: (error) => {
      throw error;
    },
  });
  questions = new Questions({
    journal,
    platform: systemPlatform,
    channels: new Channels({}),
    limits: defaultApprovals,
    supersede: (row, by) =>
      journal.write({ op: "question.answer", id: row.id, answer: null, reason: null, by, at: 1 }),
    problemOf: async () => undefined,
  });
  const spec = {
    program: "p",
    programVersion: "1",
    manifestHash: "m",
    blocks: [],
    budget: {},
    label: { integrity: "trusted", secrecy: "public" },
  } as const;
  const row = {
    key: 1,
    tenant: 1,
    pid: "agt_1",
    agent: "p",
    parent: null,
    parentPid: null,
    root: 1,
    depth: 0,
    state: "running",
    waitingOn: null,
    wakeAt: null,
    base: 0,
    label: null,
    exitCode: null,
    startedAt: 1,
    endedAt: null,
    spec,
    output: null,
    error: null,
    compacted: false,
  } as const;
  await store.commit([], [{ op: "process.add", row, node: "a" }]);
});

afterEach(() => store.close());

const draft: QuestionDraft = {
  id: "ask_1",
  tenant: 1,
  process: 1,
  pid: "agt_1",
  n: 1,
  kind: "question",
  question: "?",
  choices: [],
  digest: "d",
  askedAt: 1,
  expiresAt: null,
  channel: null,
  quorum: 1,
  batch: "ask_1",
  about: null,
};

const ask = () =>
  new Promise<{ asked: boolean; stop: () => void }>((resolve, reject) => {
    const stop = questions.ask(end, draft, {
      asked: () => resolve({ asked: true, stop }),
      heard: () => resolve({ asked: false, stop }),
      failed: reject,
    });
  });

test("who stops waiting before it was asked asks nobody", async () => {
  const stop = questions.ask(end, draft, { asked: () => {}, heard: () => {}, failed: () => {} });

  stop();
  await questions.recheck(1);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  await journal.durable();

  expect(await store.question("ask_1")).toBeUndefined();
});

test("asked again it is the same question, and one that was settled meanwhile is told at once", async () => {
  const first = await ask();
  await journal.durable();
  first.stop();
  const second = await ask();
  second.stop();
  const word = { id: "ask_1", answer: "yes", reason: null, by: "ann", at: 2 };
  await store.commit([], [{ op: "question.answer", ...word }]);
  const third = await ask();

  expect([first.asked, second.asked, third.asked]).toEqual([true, true, false]);
  expect((await store.questionsOf(1)).length).toBe(1);
});

test("an answer that another node took is found when it is looked for", async () => {
  const heard: (string | null)[] = [];
  await new Promise<void>((resolve, reject) => {
    questions.ask(end, draft, {
      asked: () => resolve(),
      heard: ({ answer }) => void heard.push(answer),
      failed: reject,
    });
  });
  await journal.durable();
  const word = { id: "ask_1", answer: "yes", reason: null, by: "ann", at: 2 };
  await store.commit([], [{ op: "question.answer", ...word }]);

  await questions.recheck(2);
  expect(heard).toEqual([]);
  await questions.recheck(1);
  await questions.recheck(1);

  expect(heard).toEqual(["yes"]);
});
