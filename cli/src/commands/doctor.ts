import { exitCodes } from "@aos/protocol/words";
import colors from "picocolors";
import type { Call, Command } from "../command.ts";
import { facts, table } from "../table.ts";

export const command: Command = (call) =>
  call.options.flag("attack") ? attack(call) : examine(call);

async function examine({ client, out }: Call): Promise<number> {
  const report = await client.doctor();
  const { ok, checks, sandbox } = report;
  await out.data(report, () =>
    [
      table(
        ["", "CHECK", "FOUND"],
        checks.map(({ ok: fine, name, detail, hint }) => [
          fine ? "ok" : colors.red("no"),
          name,
          hint === undefined ? detail : `${detail}; ${hint}`,
        ]),
      ),
      facts(Object.entries(sandbox).map(([part, hold]) => [`sandbox ${part}`, hold])),
    ].join("\n\n"),
  );
  return ok ? exitCodes.success : exitCodes.failed;
}

async function attack({ client, out }: Call): Promise<number> {
  const report = await client.attack();
  const { attacks, gotThrough } = report;
  await out.data(report, () =>
    table(
      ["OUTCOME", "GROUP", "ATTACK", "DETAIL"],
      attacks.map(({ outcome, group, name, detail }) => [
        outcome === "got-through" ? colors.red(outcome) : outcome,
        group,
        name,
        detail,
      ]),
    ),
  );
  const skipped = attacks.filter(({ outcome }) => outcome === "skipped").length;
  out.note(
    `${attacks.length - skipped} attacks were tried, ${gotThrough} got through, ${skipped} were skipped`,
  );
  return gotThrough === 0 ? exitCodes.success : exitCodes.failed;
}
