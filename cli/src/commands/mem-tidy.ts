import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readDurationOption } from "../read-number.ts";

const REASONS: Readonly<Record<string, string>> = {
  replaced: "replaced by a later fact",
  duplicate: "said twice",
  summary: "summarized",
  age: "too old",
  size: "beyond the number",
};

const command: Command = async ({ client, options, out }) => {
  const id = options.text("undo");
  const tenant = options.text("tenant");
  const whose = tenant === undefined ? {} : { tenant };
  if (id !== undefined) {
    const report = await client.untidyMemory({ id, ...whose });
    await out.data(report, () =>
      [
        `put back ${report.restored} rows`,
        ...report.kept.map((path) => `${path}: something else stands there now`),
      ].join("\n"),
    );
    return;
  }
  const agent = options.text("agent");
  const times = {
    olderThanMs: readDurationOption(options.text("olderThan"), "--older-than"),
    maxAgeMs: readDurationOption(options.text("maxAge"), "--max-age"),
    maxRows: rowsIn(options.text("maxRows")),
  };
  const given = Object.fromEntries(
    Object.entries(times).filter(([, value]) => value !== undefined),
  );
  const report = await client.tidyMemory({
    ...whose,
    ...(agent === undefined ? {} : { agent }),
    ...given,
    dryRun: options.flag("dryRun"),
  });
  await out.data(report, () => {
    if (report.removed === 0) return "nothing to tidy";
    const verb = report.dryRun ? "would remove" : "removed";
    const kinds = Object.entries(report.kinds).filter(([, rows]) => rows > 0);
    return [
      ...kinds.map(([kind, rows]) => `${verb} ${rows} ${REASONS[kind]}`),
      ...report.changes.map(
        ({ removed, kept }) => `  ${removed.join(", ")}${kept === null ? "" : ` -> ${kept}`}`,
      ),
      ...(report.id === null ? [] : [`take back: aos mem tidy --undo ${report.id}`]),
    ].join("\n");
  });
};

function rowsIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new SysError("EINVAL", `--max-rows: ${text} is not a number of rows`);
}

export default command;
