import { exitCodes } from "@aos/protocol/words";
import type { OnProgress } from "@aos/client";
import type { Command } from "../command.ts";
import { startProgress } from "../progress.ts";

const command: Command = async ({ client, out }) => {
  const progress = startProgress(out, "audit", { unit: "processes" });
  const onProgress: OnProgress = ({ done, total, detail }) => progress.at(done, total, detail);
  const report = await client.verify({}, { onProgress }).finally(() => progress.stop());
  await out.data(report, () => {
    const count = (number: number, what: string, many: string) =>
      `${number} ${number === 1 ? what : many}`;
    const read = [
      `${count(report.records, "record", "records")} of ${count(report.processes, "process", "processes")}`,
      count(report.logged, "logged head", "logged heads"),
    ].join(", ");
    const erased = report.erasures.map(
      ({ id, at, by, records, values, rows, runs }) =>
        `erased ${at.slice(0, 10)} by ${by}: ${count(records, "record", "records")}, ${count(values, "large value", "large values")}, ${count(rows, "other row", "other rows")} of ${count(runs.length, "run", "runs")} (erasure ${id})`,
    );
    if (report.ok) return [`${read}: all intact`, ...erased].join("\n");
    const findings = report.findings.map(({ kind, pid, seq, message }) =>
      [kind, pid === null ? "" : ` ${pid}`, seq === null ? "" : `#${seq}`, `: ${message}`].join(""),
    );
    return [`${read}: ${findings.length} findings`, ...findings, ...erased].join("\n");
  });
  return report.ok ? exitCodes.success : exitCodes.failed;
};

export default command;
