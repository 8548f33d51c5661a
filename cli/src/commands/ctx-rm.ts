import { SysError } from "@aos/protocol/failures";
import { listCollection } from "../collection-files.ts";
import type { Command } from "../command.ts";
import { IngestQueue } from "../ingest/ingest-queue.ts";

const command: Command = async ({ args: [name = "", path], client, options, out }) => {
  const tenant = options.text("tenant");
  const of = { name, ...(tenant === undefined ? {} : { tenant }) };
  const below = path?.replace(/\/+$/, "");
  const files = (await listCollection(client, of)).filter(
    (file) => below === undefined || file.path === below || file.path.startsWith(`${below}/`),
  );
  if (files.length === 0)
    throw new SysError(
      "ENOENT",
      below === undefined
        ? `there is no collection ${name}`
        : `${name} has no ingested file at or below ${below}`,
      { hint: "`aos ctx ls` lists the collections" },
    );
  const sender = new IngestQueue((batch) => client.ingest({ ...of, ...batch }), {
    label: "trusted/public",
    isDryRun: false,
  });
  for (const file of files) await sender.remove(file.path);
  await sender.end();
  await out.data(
    { name, removed: files.length },
    () => `${files.length} ${files.length === 1 ? "file is" : "files are"} forgotten.`,
  );
};

export default command;
