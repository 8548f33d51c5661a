import { liveStates } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readNumber } from "../read-number.ts";
import { ago, table } from "../table.ts";

export const command: Command = async ({ client, options, out }) => {
  const states = options.text("state") ?? (options.flag("all") ? undefined : liveStates.join(","));
  const limit = readNumber(options.text("limit"), "--limit");
  const processes = await client.list({
    ...(states === undefined ? {} : { states }),
    ...(limit === undefined ? {} : { limit }),
  });
  const nowMs = Date.now();
  await out.data(processes, () =>
    table(
      ["PID", "AGENT", "STATE", "EXIT", "COST", "AGE", "+LANE", "+DEADLINE", "+PARENT"],
      processes.map(({ pid, agent, state, waitingOn, exitCode, costUsd, startedAt, ...rest }) => [
        pid,
        agent,
        waitingOn === null ? state : `${state} (${waitingOn})`,
        exitCode === null ? "" : String(exitCode),
        `$${costUsd.toFixed(4)}`,
        ago(startedAt, nowMs),
        rest.lane,
        rest.deadline ?? "",
        rest.parent ?? "",
      ]),
      out,
    ),
  );
};
