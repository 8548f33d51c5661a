import { exitCodes, type DoctorCheck, type SandboxPart, SysError } from "@aos/protocol/words";
import type { OnProgress } from "@aos/client";
import { colors } from "../colors.ts";
import { attackText, collectAttacks } from "../attacks.ts";
import type { CommandCall, Command } from "../command.ts";
import { localSetupHost } from "../setup/install-bubblewrap.ts";
import { installPlan, runPlan } from "../setup/install-programs.ts";
import { startProgress } from "../progress.ts";
import { facts, table } from "../table.ts";

const command: Command = async (call) => {
  const { options } = call;
  if (options.flag("fix") && options.flag("attack"))
    throw new SysError("EINVAL", "--fix and --attack exclude each other");
  if (options.flag("attack")) return attack(call);
  if (options.text("only") !== undefined || options.flag("verbose")) {
    throw new SysError("EINVAL", "--only and --verbose need --attack");
  }
  return options.flag("fix") ? fix(call) : examine(call);
};

export default command;

/** What can be installed is; the rest is named with how to do it. Fails while anything is missing. */
async function fix(call: CommandCall): Promise<number> {
  const { client, out, endpoint } = call;
  if (endpoint.remote !== undefined && !endpoint.remote.isHere)
    throw new SysError("ESTATE", "--fix installs on this machine, and the daemon is on another", {
      hint: `run it on the machine of ${endpoint.remote.url}`,
    });
  const { checks } = await client.doctor();
  const missing = checks.flatMap(({ program }) => program ?? []);
  const plan = installPlan(host, missing);
  if (missing.length === 0) out.note("no program is missing");
  else if (plan === undefined) out.note(`no package manager is known here: ${missing.join(", ")}`);
  else {
    out.note(`running: ${plan.line}`);
    for (const problem of await runPlan(plan, host)) out.note(problem);
    if (missing.includes("bubblewrap"))
      out.note("the sandbox is used from the next start: `aos down`, then `aos up -d`");
  }
  await examine(call);
  const left = (await client.doctor()).checks.filter(({ ok }) => !ok);
  if (left.length > 0) out.note(`${left.length} checks are left; each line says how`);
  return left.length === 0 ? exitCodes.success : exitCodes.failed;
}

const host = localSetupHost({ say: () => {}, ask: async () => false });

/** With the line of this machine's package manager, where the daemon is on this machine. */
const withInstallLines = (
  checks: readonly DoctorCheck[],
  { remote }: CommandCall["endpoint"],
): DoctorCheck[] =>
  checks.map((check) => {
    if (check.program === undefined || (remote !== undefined && !remote.isHere)) return check;
    const line = installPlan(host, [check.program])?.line;
    return line === undefined || line === "" ? check : { ...check, hint: line };
  });

async function examine({ client, out, endpoint }: CommandCall): Promise<number> {
  const progress = startProgress(out, "doctor", { unit: "checks" });
  const onProgress: OnProgress = ({ done, total, detail }) => progress.at(done, total, detail);
  const found = await client.doctor({}, { onProgress }).finally(() => progress.stop());
  const report = { ...found, checks: withInstallLines(found.checks, endpoint) };
  const { ok, checks, sandbox, mechanisms } = report;
  await out.data(report, () =>
    [
      table(
        ["", "CHECK", "FOUND"],
        checks.map(({ ok: fine, isOptional, name, detail, hint }) => [
          fine ? "ok" : isOptional ? colors.yellow("--") : colors.red("no"),
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
  const attacks = await collectAttacks(client.attack(only === undefined ? {} : { only }), out);
  const gotThrough = attacks.filter(({ outcome }) => outcome === "got-through").length;
  const skipped = attacks.filter(({ outcome }) => outcome === "skipped").length;
  await out.data({ attacks, gotThrough }, () => attackText(attacks, options.flag("verbose")));
  out.note(
    `${attacks.length - skipped} attacks were run, ${gotThrough} succeeded, ${skipped} were skipped`,
  );
  return gotThrough === 0 ? exitCodes.success : exitCodes.failed;
}
