// `aos` as a program. Kept small: what a command needs is loaded when it is called.

// `aos logs | head`: the reader has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const [first, ...words] = process.argv.slice(2);
if (words.length === 0 && (first === "--version" || first === "-V")) {
  const { CLI_VERSION } = await import("./version.ts");
  process.stdout.write(`${CLI_VERSION}\n`);
} else if (first === "__complete") {
  const { complete } = await import("./completion/complete.ts");
  await complete(words);
} else {
  const { runCommandLine } = await import("./run.ts");
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
