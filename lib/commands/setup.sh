#!/bin/sh
# setup.sh BUILD: installs what the workbook can use and this machine lacks, then looks at it (doctor.sh).
# With apt, dnf or brew; as root or by sudo. Without the rights it prints the line to type. Where nothing is
# missing it installs and downloads nothing. Asks no questions. The status is doctor's.
# shellcheck source=lib/commands/parts.sh
. lib/commands/parts.sh
build=$1

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# lists of packages, one a line: what is needed, and what only adds something
: >"$work/needed"
: >"$work/wanted"
printf '%s\n' "$parts" >"$work/parts"
while IFS='|' read -r name need _ packages; do
    found "$name" >/dev/null 2>&1 && continue
    list=$work/wanted
    [ "$need" = needed ] && list=$work/needed
    field "$packages" $column | tr ' ' '\n' | grep . >>"$list"
    echo "$name" >>"$work/names"
done <"$work/parts"

# Does the package manager know it?
offered()
{
    case $manager in
        apt-get) apt-cache show --no-all-versions "$1" 2>/dev/null | grep -q '^Filename:' ;;
        dnf) dnf -q info "$1" >/dev/null 2>&1 ;;
        *) brew info "$1" >/dev/null 2>&1 ;;
    esac
}

# run PACKAGES...: installs them, its words kept in a file that is shown if it fails
run()
{
    case $manager in
        apt-get)
            $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
                -o DPkg::Lock::Timeout=120 install "$@"
            ;;
        dnf) $sudo dnf -q -y --setopt=install_weak_deps=False install "$@" ;;
        *) brew install --quiet "$@" ;;
    esac >"$work/log" 2>&1 </dev/null
}

# install_all LIST: all at once, and one by one where that fails, so that one bad package costs only itself
install_all()
{
    sort -u "$1" >"$work/sorted"
    : >"$work/offered"
    while read -r package; do
        if offered "$package"; then echo "$package" >>"$work/offered"
        else echo "   $package is not offered here: left out"; fi
    done <"$work/sorted"
    [ -s "$work/offered" ] || return 0
    # shellcheck disable=SC2046
    run $(cat "$work/offered") && return
    while read -r package; do
        run "$package" && continue
        echo "   $package could not be installed:"
        tail -n 3 "$work/log" | sed 's/^/      /'
    done <"$work/offered"
}

if [ ! -s "$work/names" ]; then
    echo "Everything is here already."
else
    echo "Missing: $(paste -sd' ' "$work/names")" | fold -s -w 79
    packages=$(sort -u "$work/needed" "$work/wanted" | paste -sd' ' -)
    sudo=unknown
    if [ -z "$manager" ]; then
        echo "No apt, dnf or brew here. Install by hand what you need of this list."
    elif [ "$(id -u)" = 0 ] || [ "$manager" = brew ]; then
        sudo=
    elif have sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ] && sudo -v; }; }; then
        sudo=sudo
    else
        echo "You may not install here (neither root nor sudo). Have somebody type, or leave it:"
        printf '   %s install %s\n' "$manager" "$packages" | fold -s -w 77 | sed '2,$s/^/       /; $!s/$/\\/'
    fi
    if [ -n "$manager" ] && [ "$sudo" != unknown ]; then
        if [ "$manager" = apt-get ]; then
            echo "Reading the lists of packages (apt-get update) ..."
            $sudo apt-get -q -o DPkg::Lock::Timeout=120 update >"$work/log" 2>&1 </dev/null ||
                { echo '   that failed; the old lists are used:'; tail -n 2 "$work/log" | sed 's/^/      /'; }
        fi
        echo "Installing: $packages" | fold -s -w 79
        install_all "$work/needed"
        install_all "$work/wanted"
        # what was probed before no longer holds
        rm -f "$build"/*/probe.mk
    fi
fi
echo
sh lib/commands/doctor.sh
