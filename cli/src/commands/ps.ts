import { liveStates, MOST_LISTED } from "@aos/protocol/process";
import type { ProcessInfo } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { ago, table } from "../table.ts";
import { timeSpan } from "../time-span.ts";

/** As many as are listed when nothing is said. */
const USUAL_LIMIT = 1000;

const command: Command = async ({ client, options, out }) => {
  const states = options.text("state") ?? (options.flag("all") ? undefined : liveStates.join(","));
  const requested = readNumberOption(options.text("limit"), "--limit") ?? USUAL_LIMIT;
  const limit = Math.min(requested, MOST_LISTED);
  const after = options.text("after");
  const find = options.text("find");
  const which = {
    ...(states === undefined ? {} : { states }),
    ...(find === undefined ? {} : { find }),
    ...timeSpan(options),
  };
  // One more than is listed says whether there are more.
  const found = await client.list({
    limit: Math.min(limit + 1, MOST_LISTED),
    ...which,
    ...(after === undefined ? {} : { before: after }),
  });
  const processes = found.slice(0, limit);
  await out.data(processes, () => textOf(processes, out));
  const last = processes.at(-1);
  if (last === undefined || processes.length < limit) return;
  const areMore = async () =>
    limit === MOST_LISTED
      ? (await client.list({ limit: 1, before: last.pid, ...which })).length > 0
      : found.length > limit;
  if (!(await areMore())) return;
  const most = requested > MOST_LISTED ? ` (at most ${MOST_LISTED} at once)` : "";
  out.note(`${processes.length} listed${most}; for more: ${nextPage(last.pid)}`);

  function nextPage(pid: string): string {
    const state = options.text("state");
    const since = options.text("since");
    const words = [
      options.flag("all") ? " -a" : "",
      state === undefined ? "" : ` --state ${state}`,
      find === undefined ? "" : ` --find ${JSON.stringify(find)}`,
      since === undefined ? "" : ` --since ${since}`,
    ].join("");
    return `aos ps${words} -n ${limit} --after ${pid}`;
  }
};

export default command;

function textOf(processes: readonly ProcessInfo[], out: Parameters<typeof table>[2]): string {
  const nowMs = Date.now();
  const isNamed = processes.some(({ name }) => name !== null);
  return table(
    [
      "PID",
      isNamed ? "NAME" : "+NAME",
      "AGENT",
      "STATE",
      "EXIT",
      "COST",
      "AGE",
      "+LANE",
      "+DEADLINE",
      "+PARENT",
    ],
    processes.map(
      ({ pid, name, agent, state, waitingOn, exitCode, costUsd, startedAt, ...rest }) => [
        pid,
        name ?? "",
        agent,
        waitingOn === null ? state : `${state} (${waitingOn})`,
        exitCode === null ? "" : String(exitCode),
        `$${costUsd.toFixed(4)}`,
        ago(startedAt, nowMs),
        rest.lane,
        rest.deadline ?? "",
        rest.parent ?? "",
      ],
    ),
    out,
  );
}
