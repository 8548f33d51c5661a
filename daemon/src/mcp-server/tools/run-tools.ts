// Tools about runs: start one, look at it, cancel it, list them.
//
// RUN-TOOLS-1  Who cancels while it waits for a run that it has just submitted cancels the run; to hang
//     up is to cancel where the protocol says so. A daemon that stops, or a token that ends, does not:
//     the run goes on.

import { argumentFields, SysError, type OperationArgs } from "@aos/protocol";
import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import { anyJson } from "../any-json.ts";
import { runOf, runShape, runStatus, statusShape } from "../run-status.ts";
import { created, knowsTasks, callToolResult, taskOf } from "../task.ts";
import { successResult, toolRow, type ToolCallContext } from "../tool-row.ts";
import { waitForRun } from "../wait-for-run.ts";

/** Most clients give up after a minute. */
const USUAL_WAIT_S = 30;
const MOST_WAIT_S = 3600;

const { limit } = argumentFields("list");
const waitSeconds = z.number().min(0).max(MOST_WAIT_S);

const submitGoal = toolRow({
  name: "submit_goal",
  title: "Submit a goal",
  description:
    "Start an agent on a goal. It runs on its own, within its capabilities and budget, and survives restarts. " +
    "Answers when it is over, when it needs a person, or after waitSeconds with the pid to ask about later.",
  operation: "spawn",
  takes: ["agent", "budget", "lane", "label", "tenant"],
  notes: { agent: "list_agents has them" },
  own: {
    manifest: z
      .string()
      .max(1_000_000)
      .optional()
      .describe("In place of agent: the manifest of one, as YAML."),
    goal: z.string().optional().describe("What it should do, in words."),
    input: anyJson
      .optional()
      .describe("In place of goal: any JSON value, for an agent that takes one."),
    waitSeconds: waitSeconds
      .optional()
      .describe(`How long to wait for its end; ${USUAL_WAIT_S} unless said, 0 to return at once.`),
  },
  output: statusShape,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  async run({ waitSeconds: seconds, goal, input, manifest, ...rest }, asked) {
    if ((goal === undefined) === (input === undefined))
      throw new SysError("EINVAL", "pass either a goal or an input");
    const { ask, signal, context, cwd, mayApprove } = asked;
    const written =
      manifest === undefined ? {} : { manifest: { file: "manifest", text: manifest } };
    const request = { ...omitUndefined({ ...rest, cwd }), ...written, input: goal ?? input };
    const { pid: begun } = await ask("spawn", request as OperationArgs<"spawn">, signal);
    if (seconds === undefined && knowsTasks(context)) {
      const status = await runStatus(ask, begun, signal);
      return created(taskOf(status, { context, mayAnswer: mayApprove }));
    }
    await waitOrCancel(begun, (seconds ?? USUAL_WAIT_S) * 1000, asked);
    return callToolResult(await runStatus(ask, begun, signal));
  },
});

/** RUN-TOOLS-1. */
async function waitOrCancel(
  begun: string,
  timeoutMs: number,
  asked: ToolCallContext,
): Promise<void> {
  const { ask, signal, context } = asked;
  const untold = new AbortController().signal;
  try {
    await waitForRun(ask, begun, { timeoutMs, signal, context });
  } finally {
    if (asked.isCancelled()) {
      await ask("signal", { pid: begun, signal: "SIGTERM" }, untold).catch((error: unknown) => {
        if (!(error instanceof SysError)) throw error; // it was over already
      });
    }
  }
}

const getStatus = toolRow({
  name: "get_agent_status",
  title: "Status of a run",
  description:
    "How a run is doing: its state, what it waits for, its cost, its output once it is over. " +
    "With waitSeconds it answers when the run is over, needs a person, or the time is up.",
  operation: "show",
  takes: ["pid"],
  own: { waitSeconds: waitSeconds.optional().describe("How long to wait; 0 unless said.") },
  output: statusShape,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async run({ pid: asking, waitSeconds: seconds = 0 }, { ask, signal, context }) {
    const { pid: found } = await ask("show", { pid: asking }, signal);
    await waitForRun(ask, found, { timeoutMs: seconds * 1000, signal, context });
    return successResult(await runStatus(ask, found, signal));
  },
});

const cancelAgent = toolRow({
  name: "cancel_agent",
  title: "Cancel a run",
  description:
    "End a run. It may tidy up after itself; with force it is gone at once, with its tools and children.",
  operation: "signal",
  takes: ["pid"],
  own: { force: z.boolean().optional().describe("Do not let it tidy up.") },
  output: z.object({ pid: z.string(), signal: z.string(), state: z.string() }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  async run({ pid: asking, force = false }, { ask, signal }) {
    const sent = await ask(
      "signal",
      { pid: asking, signal: force ? "SIGKILL" : "SIGTERM" },
      signal,
    );
    const { state } = await ask("show", { pid: sent.pid }, signal);
    return successResult({ ...sent, state });
  },
});

const listRuns = toolRow({
  name: "list_runs",
  title: "List runs",
  description: "The runs, newest first.",
  operation: "list",
  takes: ["before"],
  own: {
    limit: limit.describe("at most this many, newest first (default: 20)"),
    states: z
      .array(runShape.shape.state)
      .optional()
      .describe("Only those in these states; all unless said."),
  },
  output: z.object({ runs: z.array(runShape) }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async run({ states, limit: most = 20, before: last }, { ask, signal }) {
    const request = { limit: most, ...omitUndefined({ before: last, states: states?.join(",") }) };
    return successResult({ runs: (await ask("list", request, signal)).map(runOf) });
  },
});

export const runToolRows = [submitGoal, getStatus, cancelAgent, listRuns];
