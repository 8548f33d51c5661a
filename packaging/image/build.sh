#!/bin/sh
# Builds the container image from the .deb, with debootstrap and buildah; no registry is needed.
#
#   packaging/image/build.sh dist/agent-os_0.2.0_amd64.deb dist/agent-os-image.tar
#
# It takes root (or a user namespace with mounts) for debootstrap. The root is a minimal Debian with bubblewrap, the
# certificates and the package. The same package and the same Debian archive give the same layer: names are sorted and
# times are fixed.
set -eu

deb=$(realpath "$1")
out=$(realpath -m "$2")
suite=${SUITE:-bookworm}
mirror=${MIRROR:-http://deb.debian.org/debian}
version=$(dpkg-deb -f "$deb" Version)
# The time of every file and of the image is the day of the release, as the package's changelog has it.
released=$(dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/share/doc/agent-os/changelog.gz | gzip -dc |
  sed -n 's/^ -- .*>  //p' | head -n 1)
epoch=${SOURCE_DATE_EPOCH:-$(date --date "$released" +%s)}
work=$(mktemp -d)
root=$work/root
# A root that was made before, to save the time: it is copied, not changed.
base=${BASE_ROOT:-}

clean_up() {
  if [ -n "${container:-}" ]; then buildah --storage-driver vfs rm "$container" >/dev/null || true; fi
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

if [ -n "$base" ]; then
  cp -a "$base" "$root"
else
  debootstrap --variant=minbase --include=adduser,bubblewrap,ca-certificates "$suite" "$root" "$mirror"
fi
install -m 0644 "$deb" "$root/tmp/agent-os.deb"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 0755 "$root/usr/sbin/policy-rc.d"
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
  dpkg -i /tmp/agent-os.deb
rm -rf "$root/tmp/agent-os.deb" "$root/usr/sbin/policy-rc.d" "$root"/var/lib/apt/lists/* \
  "$root"/var/cache/apt/* "$root"/var/cache/debconf/* "$root"/var/log/* "$root"/var/lib/dpkg/*-old \
  "$root"/etc/*- "$root/etc/machine-id" "$root/var/cache/ldconfig/aux-cache"
# A user of a fixed number, so that volumes keep their owner from one image to the next.
chroot "$root" usermod --uid 10001 aos
chroot "$root" groupmod --gid 10001 aos
install -d -o 10001 -g 10001 -m 0700 "$root/var/lib/aos" "$root/var/cache/aos"
install -d -o 10001 -g 10001 -m 0755 "$root/run/aos"

tar --sort=name --numeric-owner --mtime="@$epoch" --one-file-system -C "$root" \
  --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* -cf "$work/root.tar" .

container=$(buildah --storage-driver vfs from --format docker scratch)
buildah --storage-driver vfs add "$container" "$work/root.tar" / >/dev/null
buildah --storage-driver vfs config \
  --user 10001:10001 --workingdir /var/lib/aos --port 4040/tcp --volume /var/lib/aos --stop-signal SIGTERM \
  --env AOS_HOME=/var/lib/aos --env AOS_SOCKET=/run/aos/aos.sock --env AOS_HTTP=0.0.0.0:4040 \
  --env AOS_LOG_FORMAT=json --env NODE_COMPILE_CACHE=/tmp/node-compile-cache \
  --env PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  --entrypoint '["/usr/bin/aos"]' --cmd up \
  --label org.opencontainers.image.title=agent-os \
  --label org.opencontainers.image.version="$version" \
  --label org.opencontainers.image.licenses=Apache-2.0 \
  "$container"
# Docker's format keeps the health check; OCI's has no place for it.
buildah --storage-driver vfs config --healthcheck 'CMD /usr/bin/aos status -o name' \
  --healthcheck-interval 30s --healthcheck-timeout 10s --healthcheck-retries 3 \
  --healthcheck-start-period 30s "$container"
buildah --storage-driver vfs commit --format docker --timestamp "$epoch" --quiet \
  "$container" "docker-archive:$work/image.tar:agent-os:$version" >/dev/null

# The names of this build's container are no part of the image: its configuration, which is called by its digest, is
# written without them, and the archive without the folders of Docker's first format, which have them too.
mkdir "$work/image"
tar -xf "$work/image.tar" -C "$work/image"
cd "$work/image"
chmod u+w ./*
config=$(sed -n 's/.*"Config":"\([^"]*\)".*/\1/p' manifest.json)
sed -i 's/"container":"[0-9a-f]*",//; s/"Hostname":"[0-9a-f]*"/"Hostname":""/g' "$config"
digest=$(sha256sum "$config" | cut -d ' ' -f 1)
mv "$config" "$digest.json"
sed -i "s/$config/$digest.json/" manifest.json
layer=$(sed -n 's/.*"Layers":\["\([^"]*\)"\].*/\1/p' manifest.json)
tar --owner=0 --group=0 --numeric-owner --mode=0644 --mtime="@$epoch" -cf "$out" \
  manifest.json "$digest.json" "$layer"
echo "$out"
