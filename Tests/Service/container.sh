#!/bin/sh
# A Debian with a real systemd, in a container, for the tests of the service.
#
#   container.sh probe CACHE    makes CACHE/image, of which containers are copies, if it is missing; fails, and
#                               says why, if containers cannot run here
#   container.sh boot CACHE     boots a container and prints the process id of its systemd once it is up; ends
#                               and removes it at the end of standard input: the container goes when the tests
#                               do, however they end
set -eu

suite=bookworm
# What the service and the app need to run, a service manager, and what the tests look with.
packages=systemd,systemd-sysv,dbus,libpam-systemd,libsystemd0,libsqlite3-0,libpq5,libmariadb3,libstdc++6,libcurl4,libxml2,ca-certificates,sqlite3

require() {
    test "$(id -u)" = 0 || { echo 'not root' >&2; exit 1; }
    for tool; do
        command -v "$tool" > /dev/null || { echo "$tool is missing: \`make test\` installs it" >&2; exit 1; }
    done
}

make_image() {
    recipe="$suite $packages"
    test "$(cat "$1/image/complete" 2>/dev/null)" != "$recipe" || return 0
    # It gets its name only when it is complete: one that was interrupted is never used.
    rm -rf --one-file-system "$1/image" "$1/image.partial"
    mkdir "$1/image.partial"
    debootstrap --variant=minbase --include="$packages" "$suite" "$1/image.partial/root" >&2
    echo "$recipe" > "$1/image.partial/complete"
    mv "$1/image.partial" "$1/image"
}

# Below the control group that it is in, systemd-nspawn gives every container the same one, and two systemds in
# one group would end each other's services. So each container gets a group of its own to be in; where a systemd
# runs, it is asked for that.
control_groups() {
    test ! -d /run/systemd/system || return 0
    for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
        if test -e "$hierarchy/cgroup.procs"; then echo "$hierarchy/pruned-$1"; fi
    done
}

enter_control_group() {
    for group in $(control_groups "$1"); do
        mkdir "$group"
        echo $$ > "$group/cgroup.procs"
    done
}

leave_control_group() {
    for group in $(control_groups "$1"); do
        test -d "$group" || continue
        echo $$ > "${group%/*}/cgroup.procs"
        find "$group" -depth -type d -exec rmdir {} +
    done
}

# Becomes systemd-nspawn on the root directory $1, with more options.
nspawn() {
    directory=$1
    shift
    test -d /run/systemd/system || set -- --keep-unit "$@"
    exec systemd-nspawn --quiet --directory="$directory" --machine=pruned --register=no --private-network \
        --link-journal=no "$@"
}

# The container's first process: the child of systemd-nspawn, process $1, that is number 1 in a namespace.
# For a moment there is another child, which prepares it.
first_process() {
    for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
        if grep -qs '^NSpid:.*[[:space:]]1$' "/proc/$child/status"; then echo "$child"; fi
    done
}

is_up() {
    case $(timeout 60 nsenter -t "$1" -m -u -i -n -p -C systemctl is-system-running --wait 2>&1) in
        running | degraded) true ;;
        *) false ;;
    esac
}

# Ends the container of directory $1 and removes every trace of it.
end() {
    process=$(cat "$1/process" 2>/dev/null) || process=none
    # Killing systemd-nspawn would leave its container running; killing the container ends them both.
    while grep -qsF "$1/root" "/proc/$process/cmdline"; do
        first_process "$process" | xargs -r kill -KILL
        sleep 0.05
    done
    leave_control_group "${1##*/}"
    rm -rf --one-file-system "$1"
}

end_leftovers() {
    for machine in "$1"/machine-*; do
        if test -d "$machine" && flock --nonblock "$machine/alive" true; then end "$machine"; fi
    done
}

boot() {
    machine=$1/machine-$$
    mkdir "$machine"
    exec 8> "$machine/alive"
    flock 8
    trap '' HUP INT PIPE TERM
    trap 'end "$machine"' EXIT
    flock --unlock 9
    cp -a --reflink=auto "$1/image/root" "$machine/root"
    enter_control_group "${machine##*/}"
    nspawn "$machine/root" --boot < /dev/null > "$machine/console" 2>&1 8>&- 9>&- &
    echo $! > "$machine/process"
    deadline=$(($(date +%s) + 120))
    first=
    until test -n "$first" && is_up "$first"; do
        if ! kill -0 $! 2>/dev/null || test "$(date +%s)" -gt $deadline; then
            cat "$machine/console" >&2
            exit 1
        fi
        sleep 0.05
        first=$(first_process $!)
    done
    echo "$first"
    read -r _ || true
}

# Whether a container can run at all; says why not.
probe() {
    trap 'leave_control_group probe-$$' EXIT
    enter_control_group probe-$$
    (nspawn "$1/image/root" --read-only --as-pid2 true)
}

require debootstrap systemd-nspawn nsenter flock
cache=$2
mkdir -p "$cache"
exec 9> "$cache/lock"
flock 9
make_image "$cache" 9>&-
end_leftovers "$cache"
case $1 in
    probe) probe "$cache" ;;
    boot) boot "$cache" ;;
esac
