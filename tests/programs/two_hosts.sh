#!/bin/sh
# Runs COMMAND by mpirun as two processes on two hosts: network namespaces of this machine with
# names and addresses of their own, joined by a virtual cable. Ends with 77 where it may not make
# them: that takes root and iproute2.
#
#   two_hosts.sh MPIRUN COMMAND...
set -eu

if [ "${1:-}" = --on-second-host ]; then  # as mpirun calls what is to start its part there
  shift 2
  exec ip netns exec "$SECOND_HOST" unshare --uts sh -c 'hostname second; exec sh -c "$*"' sh "$@"
fi

first=weft-1-$$ second=weft-2-$$
ip netns add "$first" 2>/dev/null || exit 77
trap 'ip netns del "$first"; ip netns del "$second" 2>/dev/null || true' EXIT
ip netns add "$second"
ip link add name "w1-$$" netns "$first" type veth peer name "w2-$$" netns "$second" || exit 77
ip netns exec "$second" unshare --uts hostname second || exit 77
connect() {  # HOST DEVICE ADDRESS
  ip -n "$1" addr add "$3/24" dev "$2"
  ip -n "$1" link set "$2" up
  ip -n "$1" link set lo up
}
connect "$first" "w1-$$" 10.77.0.1
connect "$second" "w2-$$" 10.77.0.2

mpirun=$1
shift
agent=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
SECOND_HOST=$second ip netns exec "$first" unshare --uts sh -c 'hostname first; exec "$@"' sh \
  "$mpirun" --host 10.77.0.1,10.77.0.2 -np 2 --mca plm_rsh_agent "$agent --on-second-host" \
  --mca btl self,tcp --mca hwloc_base_binding_policy none "$@"
