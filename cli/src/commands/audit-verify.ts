import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";

const command: Command = async ({ client, out }) => {
  const report = await client.verify();
  await out.data(report, () => {
    const count = (number: number, what: string, many: string) =>
      `${number} ${number === 1 ? what : many}`;
    const read = [
      `${count(report.records, "record", "records")} of ${count(report.processes, "process", "processes")}`,
      count(report.logged, "logged head", "logged heads"),
    ].join(", ");
    if (report.ok) return `${read}: all intact`;
    const findings = report.findings.map(({ kind, pid, seq, message }) =>
      [kind, pid === null ? "" : ` ${pid}`, seq === null ? "" : `#${seq}`, `: ${message}`].join(""),
    );
    return [`${read}: ${findings.length} findings`, ...findings].join("\n");
  });
  return report.ok ? exitCodes.success : exitCodes.failed;
};

export default command;
