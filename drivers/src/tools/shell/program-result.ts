// Program result: the result of a program's run for an agent. A failing program is a result; a program that could not
// run is an error, and an external end is named.

import { type Json, type JsonObject, SysError } from "@aos/protocol";
import type { ProgramEnding } from "../program-runner.ts";

export function programResult(ending: ProgramEnding): JsonObject {
  const { notStarted } = ending;
  if (notStarted?.reason === "not-found")
    throw new SysError("ENOENT", `program not found: ${notStarted.program}`, {
      hint: "install it in a system folder of the machine, or give its path",
    });
  return {
    code: ending.code,
    ...(ending.signal === null ? {} : { signal: ending.signal }),
    stdout: ending.stdout,
    stderr: ending.stderr,
    ...(ending.isCut ? { cut: true } : {}),
    ...(ending.limit === undefined ? {} : { limit: ending.limit.message }),
    ...(ending.masked.length === 0 ? {} : { masked: [...ending.masked] }),
    ...(ending.guarded.length === 0 ? {} : { quarantine: [...ending.guarded] }),
    ...(ending.visits.length === 0 ? {} : { visits: ending.visits as unknown as Json }),
  };
}
