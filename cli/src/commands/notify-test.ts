import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [name = ""] = args;
  const tenant = options.text("tenant");
  const report = await client.testNotify({ name, ...(tenant === undefined ? {} : { tenant }) });
  for (const warning of report.warnings) out.note(warning);
  if (!report.ok) throw new SysError("EUPSTREAM", `${name} did not take it: ${report.why ?? ""}`);
  await out.data(report, () => `${name} took it: ${report.id}`);
};

export default command;
