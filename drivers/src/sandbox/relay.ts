// Relay: connects a sandboxed program to its proxy. Inside, a small program listens on 127.0.0.1:3128 and forwards to
// a Unix socket that is mounted into the sandbox; the daemon's proxy for this run is at the other end. It listens
// before the command starts.
//
// It is perl, which nearly every system has, or socat.

import { existsSync } from "node:fs";

export const PROXY_SOCKET = "/run/aos/proxy.sock";
export const RELAY_SCRIPT = "/run/aos/relay";
export const AUTHORITIES = "/run/aos/authorities.pem";
const PORT = 3128;

interface RelayEnds {
  readonly port: number;
  /** Without quotes in it. */
  readonly socket: string;
}

/**
 * Listens, leaves a grandchild behind that serves (so that it is nobody's child whom the command might
 * wait for) and becomes the command.
 */
const perlRelay = ({
  port,
  socket,
}: RelayEnds): string => `use strict; use warnings; use Socket; use IO::Handle; use POSIX ":sys_wait_h";
socket(my $listener, PF_INET, SOCK_STREAM, 0) or die "relay: socket: $!\\n";
setsockopt($listener, SOL_SOCKET, SO_REUSEADDR, 1);
bind($listener, sockaddr_in(${port}, INADDR_LOOPBACK)) or die "relay: bind: $!\\n";
listen($listener, 128) or die "relay: listen: $!\\n";
my $child = fork(); die "relay: fork: $!\\n" unless defined $child;
if ($child) {
  waitpid($child, 0); close($listener);
  exec { $ARGV[0] } @ARGV or do { print STDERR "$ARGV[0]: $!\\n"; POSIX::_exit($! == 2 ? 127 : 126) };
}
POSIX::_exit(0) if fork(); POSIX::setsid();
open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null"); open(STDERR, ">", "/dev/null");
$SIG{PIPE} = "IGNORE";
my (%socket, %peer, %waiting, %ended);
sub drop { my $fd = shift; for my $end ($fd, $peer{$fd}) { next unless defined $end && $socket{$end};
  close(delete $socket{$end}); delete $waiting{$end}; delete $ended{$end}; } delete $peer{$peer{$fd}}; delete $peer{$fd}; }
while (1) {
  my ($reads, $writes) = ("", "");
  vec($reads, fileno($listener), 1) = 1;
  for my $fd (keys %socket) {
    vec($reads, $fd, 1) = 1 if !$ended{$fd} && length($waiting{$peer{$fd}}) < 262144;
    vec($writes, $fd, 1) = 1 if length($waiting{$fd});
  }
  next if select($reads, $writes, undef, undef) < 0;
  if (vec($reads, fileno($listener), 1) && accept(my $client, $listener)) {
    my $proxy;
    if (socket($proxy, PF_UNIX, SOCK_STREAM, 0) && connect($proxy, sockaddr_un('${socket}'))) {
      my ($in, $out) = (fileno($client), fileno($proxy));
      ($socket{$in}, $socket{$out}, $peer{$in}, $peer{$out}) = ($client, $proxy, $out, $in);
      ($waiting{$in}, $waiting{$out}, $ended{$in}, $ended{$out}) = ("", "", 0, 0);
      $client->blocking(0); $proxy->blocking(0);
    }
  }
  for my $fd (keys %socket) {
    next unless $socket{$fd};
    if (vec($writes, $fd, 1)) {
      my $sent = syswrite($socket{$fd}, $waiting{$fd});
      if (defined $sent) { substr($waiting{$fd}, 0, $sent) = ""; }
      elsif (!$!{EAGAIN} && !$!{EINTR}) { drop($fd); next; }
    }
    if (vec($reads, $fd, 1)) {
      my $got = sysread($socket{$fd}, my $bytes, 65536);
      if ($got) { $waiting{$peer{$fd}} .= $bytes; }
      elsif (defined $got) { $ended{$fd} = 1; }
      elsif (!$!{EAGAIN} && !$!{EINTR}) { drop($fd); next; }
    }
  }
  for my $fd (keys %socket) {
    next unless $socket{$fd};
    my $other = $peer{$fd};
    if ($ended{$fd} == 1 && !length($waiting{$other})) { shutdown($socket{$other}, 1); $ended{$fd} = 2; }
    drop($fd) if $ended{$fd} == 2 && $ended{$other} == 2;
  }
}
`;

/** The same by socat. It leaves the shell's children, listens when the kernel's table says so. */
const socatRelay = ({
  port,
  socket,
}: RelayEnds): string => `(socat TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork UNIX-CONNECT:'${socket}' </dev/null >/dev/null 2>&1 &)
tries=0
until grep -q ':0*${port.toString(16).toUpperCase()} .* 0A ' /proc/net/tcp; do
  tries=$((tries + 1)); [ $tries -lt 500 ] || { echo "relay: it does not listen" >&2; exit 125; }
  sleep 0.01
done
exec "$@"
`;

export interface Relay {
  readonly name: string;
  readonly script: (ends?: RelayEnds) => string;
  /** What starts the script, which is a file. */
  readonly command: (script: string) => readonly string[];
}

const INSIDE: RelayEnds = { port: PORT, socket: PROXY_SOCKET };

export function findRelay(exists: (path: string) => boolean = existsSync): Relay | undefined {
  if (exists("/usr/bin/perl")) {
    const command = (script: string) => ["/usr/bin/perl", script];
    return { name: "perl", script: (ends = INSIDE) => perlRelay(ends), command };
  }
  if (exists("/usr/bin/socat")) {
    const command = (script: string) => ["/bin/sh", script];
    return { name: "socat", script: (ends = INSIDE) => socatRelay(ends), command };
  }
  return undefined;
}

const words = (text: string): string[] => text.split(" ");

const PROXIES = [
  "http_proxy",
  "https_proxy",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "all_proxy",
];
const BUNDLES = [
  ...words("SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE"),
  ...words("GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS"),
];

/** What programs of many kinds look at to find a proxy, and the file of the authorities that it has. */
export function proxyEnvironment(
  authorities: string | undefined,
  port: number = PORT,
): Record<string, string> {
  const all = (names: readonly string[], value: string) =>
    Object.fromEntries(names.map((name) => [name, value]));
  return {
    ...all(PROXIES, `http://127.0.0.1:${port}`),
    ...all(["no_proxy", "NO_PROXY"], ""),
    NODE_USE_ENV_PROXY: "1",
    ...(authorities === undefined ? {} : all(BUNDLES, authorities)),
  };
}
