// spawn, wait, signal, self, check, ask: other processes, and people.

import { SysError, type Ending, type Json, type ProcessId } from "@aos/protocol";
import { Questions } from "../../approval/questions.ts";
import { readLabel } from "../../label/label.ts";
import type { ProcessRow } from "../../store/rows.ts";
import { digestOfAction } from "../action.ts";
import type { Answer, Answered } from "../answer.ts";
import type { Begin } from "../waiting.ts";

export const spawn: Answer<"spawn"> = (world, args, { process }) => world.spawnChild(process, args);

export function endingOf(row: ProcessRow): Ending {
  return {
    pid: row.pid as ProcessId,
    state: row.state,
    exitCode: row.exitCode,
    output: row.output,
    error: row.error,
  };
}

export const wait: Answer<"wait"> = async (world, { until }, asked) => {
  const target = asked.action.target!;
  const { store } = world.journal;
  const ended = async (): Promise<Answered> => {
    const row = (await store.processByKey(target.key))!;
    return {
      value: endingOf(row) as unknown as Json,
      cause: `${target.pid}#${(await store.chain(target.key))!.seq}`,
      ...(row.label === null ? {} : { label: readLabel(row.label) }),
    };
  };
  if (target.endedAt !== null) return ended();
  // A child's end wakes its parent; whoever else waits must stay.
  const isWoken = target.parent === asked.process.key;
  const begin: Begin = (answer, leave) => {
    const stop = world.endings.whenEnded(target.key, () => {
      asked.call.dormant = false; // it is here that the end was told: who left now would not be woken again
      ended().then(answer, answer);
    });
    // It may have ended between the look-up and now.
    store.processByKey(target.key).then((row) => {
      if (row !== undefined && row.endedAt !== null) world.endings.tell(target.key);
      else if (isWoken) leave();
    }, answer);
    return stop;
  };
  return asked.waitFor("child", until, begin, false);
};

export const signal: Answer<"signal"> = async (world, { signal }, { process, action }) => {
  const target = action.target!;
  if (target.endedAt !== null) throw new SysError("ENOENT", `${target.pid} has ended`);
  return {
    value: null,
    ...(await world.sendSignal(target, signal, `${process.pid}#${process.seq + 1}`)),
  };
};

export const self: Answer<"self"> = (_world, _args, { process }) => ({
  value: {
    pid: process.pid,
    agent: process.row.agent,
    parent: process.row.parentPid,
    tenant: process.tenantName,
    capabilities: [...process.row.spec.blocks.at(-1)!.capabilities],
  },
});

export const check: Answer<"check"> = async (world, { call, args }, { process }) => ({
  value: await world.wouldBe(process, call, args),
});

export const ask: Answer<"ask"> = (world, { question, choices = [], until }, asked) => {
  const { process, call, action } = asked;
  const id = Questions.id(process.pid, call.n, "question");
  const row = {
    id,
    tenant: process.tenant,
    process: process.key,
    pid: process.pid,
    n: call.n,
    kind: "question" as const,
    question,
    choices,
    digest: digestOfAction(action, process.pid),
    askedAt: world.platform.now(),
    expiresAt: until ?? null,
    answer: null,
    reason: null,
    answeredBy: null,
    answeredAt: null,
  };
  const begin: Begin = (answer, leave) => {
    world.questions
      .ask(process, row, (answered) =>
        answer({ value: answered.answer, cause: `operator:${answered.answeredBy}` }),
      )
      .then(leave, answer);
    return () => world.questions.forget(id);
  };
  return asked.waitFor("approval", until, begin, false);
};
