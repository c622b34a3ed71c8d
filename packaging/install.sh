#!/bin/sh
# Installs koya @VERSION@, the client of @URL@, without root:
#   curl -fsSL @URL@/-/cli/install.sh | sh
# PREFIX (~/.local): the program is linked as PREFIX/bin/koya and unpacked in PREFIX/lib. KOYA_TOKEN is
# sent where the server answers callers with a token only.
set -eu
server='@URL@' version='@VERSION@' token=${KOYA_TOKEN:+Authorization: Bearer $KOYA_TOKEN}

fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

# URL FILE. The token goes through a file, since other users can see arguments.
fetch() {
  if command -v curl >/dev/null; then
    [ -z "$token" ] || printf 'header = "%s"\n' "$token" >"$work/rc"
    curl -fsSL --retry 2 -K "$work/rc" -o "$2" "$1"
  elif command -v wget >/dev/null; then
    cat "${WGETRC:-$HOME/.wgetrc}" >"$work/rc" 2>/dev/null || :
    [ -z "$token" ] || printf 'header = %s\n' "$token" >>"$work/rc"
    WGETRC="$work/rc" wget -q -O "$2" "$1"
  else
    fail 'neither curl nor wget is installed: install one of them'
  fi
}

digest_of() {
  { sha256sum "$1" 2>/dev/null || shasum -a 256 "$1" 2>/dev/null || openssl dgst -sha256 -r "$1"; } | cut -c1-64
}

# All of it is read before any of it runs: a script that was cut off does nothing.
main() {
  case $(uname -s)-$(uname -m) in
@PLATFORMS@
    *) fail "$server has no koya for $(uname -s) on $(uname -m)" ;;
  esac
  prefix=${PREFIX:-$HOME/.local} name="koya-$version-linux-$arch"
  umask 077
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && : >"$work/rc"
  if ! fetch "$server/-/cli/koya-linux-$arch.tar.gz?sha256=$digest" "$work/koya.tar.gz"; then
    # A server that was upgraded since has another one, and another script.
    [ -z "${KOYA_INSTALL_AGAIN:-}" ] || fail "$server does not serve its client"
    fetch "$server/-/cli/install.sh" "$work/install.sh" || fail "$server cannot be reached, or answers callers with a token only: set KOYA_TOKEN"
    KOYA_INSTALL_AGAIN=1 sh "$work/install.sh"
    return
  fi
  [ "$(digest_of "$work/koya.tar.gz")" = "$digest" ] ||
    fail "the archive is not the one that $server announced (sha256 $digest): try again"
  umask 022
  mkdir -p "$prefix/bin" "$prefix/lib" || fail "$prefix cannot be written: set PREFIX to a folder that can"
  unpacked=$(mktemp -d "$prefix/lib/.koya-XXXXXX")
  trap 'rm -rf "$work" "$unpacked"' EXIT
  tar -xzf "$work/koya.tar.gz" -C "$unpacked"
  "$unpacked/$name/bin/koya" version >/dev/null ||
    fail "koya does not run in $prefix/lib: if it is mounted noexec, set PREFIX to another folder"
  rm -rf "${prefix:?}/lib/$name" && mv "$unpacked/$name" "$prefix/lib/$name"
  ln -sf "../lib/$name/bin/koya" "$prefix/bin/koya"
  printf 'koya %s is in %s\n' "$version" "$prefix/bin/koya"
  case ":$PATH:" in *":$prefix/bin:"*) ;; *) printf 'Add it to PATH: export PATH="%s/bin:$PATH"\n' "$prefix" ;; esac
}
main
