// Environment: what the shell of whoever runs the tests has set must not change what they find. Called by
// vitest.config.ts, before any process of the run is started, so that tests and what they start have it.

/** What aos reads, and what those read that tests start: databases, git, traces, models, proxies, Node. */
const OF_THE_SHELL = [
  /^AOS_/,
  /^PG[A-Z]+$/,
  /^GIT_/,
  /^OTEL_/,
  /^XDG_/,
  /^[A-Z_]+_(API_KEY|BASE_URL)$/,
  /^(https?|all|no|ftp)_proxy$/i,
  /^NODE_(OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|ENV|DEBUG)$/,
  /^(NO_COLOR|FORCE_COLOR|COLUMNS|LINES|EDITOR|VISUAL|PAGER|LESS|MANPAGER|BROWSER|TMUX|TMUX_PANE|STY)$/,
  /^(TERM|COLORTERM|TERM_PROGRAM)$/,
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ)$/,
  /^(ENV|BASH_ENV|CDPATH|ZDOTDIR|PYTHON[A-Z]+|PERL5[A-Z]+)$/,
  /^SSL_CERT_(FILE|DIR)$/,
  /^(TMPDIR|TMP|TEMP)$/,
];

/** Settings of the tests themselves. */
const OF_THE_TESTS = /^AOS_(REFERENCE_TALLY|SCREENSHOTS)$/;

export function scrubEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env))
    if (OF_THE_SHELL.some((pattern) => pattern.test(name)) && !OF_THE_TESTS.test(name))
      delete env[name];
}
