import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { serviceFileFor } from "../service/find-service.ts";
import { serviceSpec } from "../service/service-spec.ts";
import { facts } from "../table.ts";

const command: Command = async ({ endpoint, out }) => {
  const found = serviceFileFor(endpoint);
  if (found === undefined) {
    await out.data({ installed: false, state: null }, () => `${endpoint.home} has no service`);
    out.note("`aos service install` makes one");
    return exitCodes.failed;
  }
  const { manager, file, text, isOurs } = found;
  const problem = manager.problem();
  const state = problem === undefined ? manager.state() : "unknown";
  const user = /^User=(.*)$/m.exec(text)?.[1];
  const isCurrent = !isOurs || text === manager.text(serviceSpec(endpoint, manager.scope, user));
  const { name, scope, logs } = manager;
  await out.data(
    { installed: true, manager: name, scope, file, state, isCurrent, problem: problem ?? null },
    () =>
      facts([
        ["state", problem === undefined ? state : `unknown: ${problem}`],
        ["manager", `${name}, ${scope}`],
        ["file", file],
        ["log", logs],
      ]),
  );
  if (!isCurrent) out.note("the file is of another installation: run `aos service install` again");
  return state === "active" ? exitCodes.success : exitCodes.failed;
};

export default command;
