// `aos` as a program. Kept small: the code of a command is loaded when it is called.

// `aos logs | head` closes the pipe early; this is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

async function main([first, ...words]: readonly string[]): Promise<void> {
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
}

// No `await` here: the package has it as CommonJS.
void main(process.argv.slice(2));
