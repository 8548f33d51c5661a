import { SysError } from "@aos/protocol/failures";
import { listCollection } from "../collection-files.ts";
import type { CollectionReport } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { ago, table } from "../table.ts";

const command: Command = async ({ args: [name], client, options, out }) => {
  const tenant = options.text("tenant");
  const of = tenant === undefined ? {} : { tenant };
  const nowMs = Date.now();
  if (name === undefined) {
    const collections = await client.collections(of);
    await out.data(collections, () =>
      table(
        ["NAME", "FILES", "BYTES", "LABEL", "UPDATED", "ROOT", "+COMMIT", "+PATH"],
        collections.map((one) => [
          printable(one.name),
          String(one.files),
          String(one.bytes),
          one.label,
          ago(one.updatedAt, nowMs),
          rootOf(one),
          one.commit ?? "",
          printable(one.path),
        ]),
        out,
      ),
    );
    return;
  }
  const files = await listCollection(client, { name, ...of });
  if (files.length === 0)
    throw new SysError("ENOENT", `there is no collection ${name}`, {
      hint: "`aos ctx ls` lists the collections",
    });
  await out.data(
    files.map((file) => ({ name: file.path, ...file })),
    () =>
      table(
        ["FILE", "BYTES", "UPDATED", "+LABEL", "+COMMIT", "+DIGEST", "+CLAIMED BY"],
        files.map((one) => [
          printable(one.file),
          String(one.bytes),
          ago(one.writtenAt, nowMs),
          one.label,
          one.commit ?? "",
          one.digest,
          one.claimedBy ?? "",
        ]),
        out,
      ),
  );
};

/** What no ingestion wrote is named as a claim. */
const rootOf = ({ root, claimedBy }: CollectionReport): string =>
  claimedBy === null ? printable(root) : `${printable(root)} (claimed by ${claimedBy})`;

export default command;
