import { exitCodes, type SandboxPart, SysError } from "@aos/protocol/words";
import { colors } from "../colors.ts";
import { attackText, collectAttacks } from "../attacks.ts";
import type { CommandCall, Command } from "../command.ts";
import { facts, table } from "../table.ts";

const command: Command = async (call) => {
  const { options } = call;
  if (options.flag("attack")) return attack(call);
  if (options.text("only") !== undefined || options.flag("verbose")) {
    throw new SysError("EINVAL", "--only and --verbose need --attack");
  }
  return examine(call);
};

export default command;

async function examine({ client, out }: CommandCall): Promise<number> {
  const report = await client.doctor();
  const { ok, checks, sandbox, mechanisms } = report;
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
      facts(
        Object.entries(sandbox).map(([part, hold]) => [
          `sandbox ${part}`,
          `${hold} (${mechanisms[part as SandboxPart]})`,
        ]),
      ),
    ].join("\n\n"),
  );
  return ok ? exitCodes.success : exitCodes.failed;
}

async function attack({ client, options, out }: CommandCall): Promise<number> {
  const only = options.text("only")?.split(",");
  const attacks = await collectAttacks(client.attack(only === undefined ? {} : { only }), out.note);
  const gotThrough = attacks.filter(({ outcome }) => outcome === "got-through").length;
  const skipped = attacks.filter(({ outcome }) => outcome === "skipped").length;
  await out.data({ attacks, gotThrough }, () => attackText(attacks, options.flag("verbose")));
  out.note(
    `${attacks.length - skipped} attacks were run, ${gotThrough} succeeded, ${skipped} were skipped`,
  );
  return gotThrough === 0 ? exitCodes.success : exitCodes.failed;
}
