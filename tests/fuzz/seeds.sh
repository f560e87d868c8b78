#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Makes the fuzzers' first inputs: seeds.sh OUTDIR, one folder a fuzzer. They are small, so
# that changes hit what is read; made here, so that no binaries lie in the repository. What is
# named wrong* is refused, and has to be; all others have to get through (run.sh).
set -euo pipefail
out=$(realpath -m "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$out"/{elf,debuginfo,annotate,perfmap,kallsyms,maps,filter,keymap,demangle,perf_record}
mkdir -p "$out"/{unwind_table,unwind_walk,partner}
root=$(realpath "$(dirname "$0")/../..")
keymaps=$root/keymaps
cd "$tmp"

# --- ELF files with functions, a PLT, DWARF of several kinds ---
cat >a.c <<'C'
int ext(int);
static inline __attribute__((always_inline)) int leaf(int x) { return 100 / (x | 1) + x; }
static inline __attribute__((always_inline)) int middle(int x)
{
	int s = 0;
	for (int i = 0; i < x; i++)
		s ^= leaf(i ^ s);
	return s;
}
int hot(int x)
{
	return middle(ext(x)) + leaf(x);
}
C
echo 'int cold(int x) { return x * x; } int top(int x) { return cold(x) + 1; }' >b.c
link=(-O2 -fno-ident -nostdlib -shared -fPIC -Wl,-z,noseparate-code -Wl,-z,max-page-size=4096
	-Wl,--hash-style=gnu -Wl,--build-id=sha1)
build() { local cc=$1 to=$2; shift 2; "$cc" "${link[@]}" "$@" a.c b.c -o "$to"; }
build gcc dwarf4 -gdwarf-4
build gcc dwarf5 -gdwarf-5
build gcc dwarf3 -gdwarf-3 -gstrict-dwarf
build gcc minimal -g1
build gcc packed -gdwarf-5 -gz=zlib
build gcc split -gdwarf-5 -ffunction-sections
if command -v clang >/dev/null; then
	build clang clang5 -gdwarf-5
	build clang clangsplit -gdwarf-5 -gsplit-dwarf -ffunction-sections
fi
cp dwarf4 dwarf5 dwarf3 minimal packed split "$out/debuginfo"
for f in clang5 clangsplit; do [ ! -e $f ] || cp $f "$out/debuginfo"; done

build gcc plain -g0
strip plain -o stripped
objcopy --only-keep-debug dwarf4 linked.debug
cp stripped linked
objcopy --add-gnu-debuglink=linked.debug linked
cp plain stripped linked dwarf4 "$out/elf"
if command -v xz >/dev/null; then
	objcopy -S --keep-symbol=hot --keep-symbol=cold plain mini
	xz -c mini >mini.xz
	objcopy --add-section .gnu_debugdata=mini.xz stripped "$out/elf/minidebug"
fi

# --- call frame information: .eh_frame with everything, .debug_frame plain and packed, aarch64 ---
cat >u.c <<'C'
int ext(void *, ...);
int aligned(int a, int b, int c, int d, int e, int f, int g)
{
	_Alignas(64) char x[64];
	char *p = __builtin_alloca(a);
	ext(x, p, b, g);
	return p[g] + x[f] + c + d + e;
}
int end(void) { __asm__(".cfi_undefined rip"); return ext(0); }
C
cat >u.s <<'S'
.text
.cfi_startproc
.cfi_signal_frame
.cfi_escape 0x0f,0x04,0x77,0xa0,0x01,0x06
.cfi_escape 0x10,0x10,0x03,0x77,0xa8,0x01
.cfi_escape 0x10,0x06,0x03,0x77,0xf8,0x00
nop
mov $15, %rax
syscall
.cfi_endproc
.section .note.GNU-stack,"",@progbits
S
echo 'struct d { ~d(); }; void ext(); void f() { d x; ext(); ext(); }' >u.cc
u() { gcc "${link[@]}" -Wl,-z,lazy "${@:2}" -o "$out/unwind_table/$1"; }
if [ "$(uname -m)" = x86_64 ]; then
	u everything u.c u.s a.c -s
	u personality u.cc -s
fi
u debug_frame a.c -g -fno-asynchronous-unwind-tables
u packed a.c -g -gz=zlib -fno-asynchronous-unwind-tables
u omitted a.c -Os -fomit-frame-pointer -s
if clang --target=aarch64-linux-gnu -O2 -fasynchronous-unwind-tables -ffreestanding -nostdlib \
	-shared -fPIC -fuse-ld=lld a.c -o aarch64 2>/dev/null; then
	cp aarch64 "$out/unwind_table"
fi
cp "$out/unwind_table"/* "$out/unwind_walk"

# --- a program and the file beside it that has its debug information, or what dwz moved ---
pair() # NAME PROGRAM PARTNER
{
	local n=$(stat -c %s "$2")
	{ printf "\\x$(printf %02x $((n & 255)))\\x$(printf %02x $((n >> 8)))"; cat "$2" "$3"
	} >"$out/partner/$1"
}
for dwarf in 5 4; do
	objcopy --only-keep-debug dwarf$dwarf partner.debug
	objcopy -S --add-gnu-debuglink=partner.debug dwarf$dwarf bare
	pair link$dwarf bare partner.debug
done
objcopy -O binary --only-section=.note.gnu.build-id dwarf4 note
{ printf 'partner.alt\0'; tail -c 20 note; } >altlink
objcopy --add-section .gnu_debugaltlink=altlink dwarf5 named
pair alt named partner.debug
for i in 1 2 3 4 5 6 7 8 9; do
	echo "struct shared$i { struct shared$i *next; long first$i, second$i; char third$i[9]; };"
	echo "int use$i(struct shared$i *s) { return s->first$i + s->next->third$i[2]; }"
done >shared.h
for i in a b; do
	printf '#include "%s"\n' shared.h $i.c >dwz$i.c
	gcc "${link[@]}" -gdwarf-4 dwz$i.c -o dwz$i
done
if command -v dwz >/dev/null && dwz -m partner.alt dwza dwzb && [ -s partner.alt ]; then
	pair dwz dwza partner.alt
fi
pair wrong_id bare dwarf5

# --- code: the machine's number, then bytes ---
objcopy -O binary -j .text plain text
for machine in 0 1 2; do
	{ printf "\\x0$machine"; cat text; } >"$out/annotate/text$machine"
done
printf '\001\000\000\000\224\300\003\137\326' >"$out/annotate/arm64"
printf '\000\017\013\364\360\377\025\000\000\000\000\303' >"$out/annotate/odd"

# --- text ---
printf '%s\n' '1000 40 LazyCompile:~add /a b.js:1' '2000 0x10 f' '1010 8 inner' \
	'bad line' 'ffffffffffffff00 100 last' '3000 0 none' >"$out/perfmap/node"
printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000000 T _stext' \
	'ffffffff81000100 t schedule' 'ffffffff81002000 W weak' 'ffffffff81003000 D data' \
	'ffffffff81004000 t nf_hook	[nf_tables]' \
	'ffffffff81005000 t bpf_prog_6deef7357e7b4530_prog	[bpf]' >"$out/kallsyms/some"
printf '%s\n' '0000000000000000 T _text' '0000000000000000 t hidden' >"$out/kallsyms/wrong_hidden"
printf '%s\n' '00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/dbus-daemon' \
	'00451000-00460000 r-xp 00001000 fd:00 12 /tmp/a\012b (deleted)' \
	'00460000-00470000 rwxp 00000000 00:00 0 ' \
	'7ffc1f3fe000-7ffc1f400000 r-xp 00000000 00:00 0                  [vdso]' \
	'ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]' >"$out/maps/some"

# --- pid 1 forks 7, which gets a name and a sample with one kernel and one user frame, as little
# endian has them ---
le64() { for v in "$@"; do for b in 0 8 16 24 32 40 48 56; do
	printf "\\x$(printf %02x $(((v >> b) & 255)))"; done; done; }
{
	le64 $((7 | 56 << 48)) $((7 | 1 << 32)) $((7 | 1 << 32)) 99 $((7 | 7 << 32)) 99 1
	le64 $((3 | 0x2000 << 32 | 48 << 48)) $((7 | 7 << 32)) 0x6f6c6c6568 $((7 | 7 << 32)) 100 1
	le64 $((9 | 2 << 32 | 96 << 48)) 0x401000 $((7 | 7 << 32)) 101 1 250 4 -128 \
		0xffffffff81000010 -512 0x401000 42
} >"$out/perf_record/sample"

# --- perf.data: a head like that of perf, and records as the fuzzer puts them behind one ---
mkdir -p "$out/perf_data" "$out/folded"
python3 - "$out/perf_data" <<'PY'
import struct
import subprocess
import sys

USER = 2
PID, ID, TIME = 4711, 7, 1000000000


def text(name):
    return name + bytes(8 - len(name) % 8)


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(fields, time):
    return struct.pack("<IIQ", PID, PID, time) + (struct.pack("<QQ", 0, ID) if fields else b"")


def side(kind, body, time=TIME, fields=True, misc=0):
    return record(kind, body + (trailer(fields, time) if fields else b""), misc)


def stream(kind):
    """Records of one form: 0 chains, 1 copies of stacks, 2 all fields, 3 hardly any,
    4 accesses to memory with calls that were noted."""
    full = kind != 3
    task = struct.pack("<II", PID, PID)
    out = side(3, task + text(b"prog"), fields=full, misc=0x2000)
    out += side(1, struct.pack("<IIQQQ", 0xffffffff, 0, 0xffffffff81000000, 1 << 24,
                               0xffffffff81000000) + text(b"[kernel.kallsyms]_text"),
                fields=full, misc=1)
    for start, path in ((0x400000, b"/bin/true"), (0x500000, b"//anon"), (0x600000, b"[vdso]")):
        out += side(10, task + struct.pack("<QQQIIQQII", start, 0x10000, 0, 8, 1, 77, 0, 5, 2)
                    + text(path), fields=full, misc=USER)
    out += side(7, struct.pack("<IIIIQ", PID + 1, PID, PID + 1, PID, TIME + 5), fields=full)
    out += side(2, struct.pack("<QQ", ID, 3), fields=full)
    out += side(19, struct.pack("<Q", 9) + text(b"/a.slice"), fields=full)
    for i, ip in enumerate((0x402000, 0xffffffff81000100, 0x500010, 0x600020)):
        body = struct.pack("<QQ", ID, ip) if full else struct.pack("<Q", ip)
        body += task
        if full:
            body += struct.pack("<Q", TIME + i * 600000000)
        if kind == 4:
            body += struct.pack("<Q", 0x7f0000001234)
        if full:
            body += struct.pack("<QQ", 1, 10 + i)
        if kind == 2:
            body += struct.pack("<Q", 1)
        if kind == 4:
            body += struct.pack("<9Q", 2, 0x402010, ip, 0, 0x402020, 0x402000, 0, 350, 0x3a90800082 >> i)
        elif full:
            body += struct.pack("<QQQQ", 3, (1 << 64) - 512, ip, 0x402010)
        if kind == 2:
            body += struct.pack("<I4x", 4) + struct.pack("<QQQQ", 1, 1, 2, 3)
        if kind in (1, 2):
            body += struct.pack("<Q", 2) + struct.pack("<20Q", *([0x7fff0000] * 8 + [ip] * 12))
            body += struct.pack("<Q", 64) + struct.pack("<8Q", *[0x402010] * 8)
            body += struct.pack("<Q", 64)
        if kind == 2:
            body += struct.pack("<QQQQQ", 5, 2, 6, 7, 9)
        out += record(9, body, USER if ip < 1 << 63 else 1)
    out += record(68, b"")
    return out + side(4, struct.pack("<IIIIQ", PID, 1, PID, 1, 3 * TIME), fields=full)


def packed(data):
    done = subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=False)
    return record(81, done.stdout)


def attr(fields):
    return struct.pack("<IIQQQQQ", 1, 136, 0, 99, fields, 0, 1 << 10 | 1 << 18) + bytes(88)


def name(word):
    return struct.pack("<I", len(word) + 1) + word + b"\0"


def whole(data):
    """As perf record writes a file: head, attr, ids, data, features."""
    head, entry = 104, 136 + 16
    at = head + entry + 8
    out = struct.pack("<8sQQQQQQQQ", b"PERFILE2", head, entry, head, entry, at, len(data), 0, 0)
    out += struct.pack("<QQQQ", 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 11 | 1 << 12, 0, 0, 0)
    out += attr(0x10000 | 1 | 2 | 4 | 0x80 | 0x100 | 0x20) + struct.pack("<QQQ", head + entry, 8, ID)
    ident = struct.pack("<IHHi", 0, 0x8002, 52, -1) + bytes(range(20)) + bytes([20, 0, 0, 0])
    features = [ident + text(b"/bin/true"), name(b"host"), name(b"6.1.0"), name(b"x86_64"),
                struct.pack("<I", 2) + name(b"perf") + name(b"record"),
                struct.pack("<II", 1, 136) + attr(0) + struct.pack("<I", 1) + name(b"cycles")
                + struct.pack("<Q", ID)]
    at += len(data) + 16 * len(features)
    table = b""
    for f in features:
        table += struct.pack("<QQ", at, len(f))
        at += len(f)
    return out + data + table + b"".join(features)


def pipe(data):
    fields = 0x10000 | 1 | 2 | 4 | 0x80 | 0x100 | 0x20
    return (struct.pack("<8sQ", b"PERFILE2", 16) + record(64, attr(fields) + struct.pack("<Q", ID))
            + record(80, struct.pack("<Q", 3) + name(b"host")) + data)


for n in range(5):
    with open(f"{sys.argv[1]}/records{n}", "wb") as f:
        f.write(bytes([n]) + stream(n))
for n, made in {"whole": whole(stream(0)), "pipe": pipe(stream(0)),
                "packed": whole(packed(stream(0)))}.items():
    with open(f"{sys.argv[1]}/{n}", "wb") as f:
        f.write(made)
PY
printf '%s\n' '# folded' 'prog;main;work 12' 'prog;main;work;read_[k];vfs_read_[k] 3' \
	'main 4' 'a rather long command;x;;y 5.5' 'wrong' '0' >"$out/folded/some"

mkdir -p "$out/heap_profile"
maps='MAPPED_LIBRARIES:
00400000-00500000 r--p 00000000 08:01 12 /bin/true
00500000-00600000 r-xp 00001000 08:01 12 /bin/true
00600000-00700000 r-xp 00001000 08:01 13 /usr/lib/libtcmalloc.so.4'
printf '%s\n' 'heap profile: 3: 300 [ 5: 500] @ heapprofile' ' 3: 300 [ 5: 500] @ 0x500123 0x500456' '' \
	"$maps" >"$out/heap_profile/tcmalloc"
printf '%s\n' 'heap profile: 2: 2000 [2: 2000] @ heap_v2/65536' '1: 1000 [1: 1000] @ 0x600010 0x500123' \
	'1: 1000 [1: 1000] @ 0x600010 0x500123' 'wrong' "$maps" >"$out/heap_profile/sampled"
printf '%s\n' 'heap_v2/131072' '  t*: 2: 2048 [0: 0]' '  t0: 2: 2048 [0: 0]' '@ 0x500123 0x500456' \
	'  t*: 2: 2048 [0: 0]' '  t0: 2: 2048 [0: 0]' '' "$maps" >"$out/heap_profile/jemalloc"

# --- what runtimes keep of their threads: one that has a name, of each version that looks different ---
mkdir -p "$out/runtime_threads"
python3 - "$out/runtime_threads" <<'PY'
import struct
import sys

BASE, SIZE = 0x10000, 0x1800
INTERPRETER, STATE, CALL, FRAME, CODE, THREAD, TYPE, KEYS, VALUES, DICT, PTHREAD, BOOTSTRAP, KEY, NAME = \
    (BASE + 0x100 + 0x180 * i for i in range(14))


class Memory:
    def __init__(self):
        self.bytes = bytearray(SIZE)

    def words(self, at, *words):
        struct.pack_into(f"<{len(words)}Q", self.bytes, at - BASE, *words)

    def put(self, at, data):
        self.bytes[at - BASE:at - BASE + len(data)] = data

    def write(self, name, which):
        with open(f"{sys.argv[1]}/{name}", "wb") as f:
            f.write(bytes([which]) + self.bytes)


def python(minor):
    m = Memory()
    def text(at, chars):
        m.words(at + 16, len(chars))
        m.words(at + 32, 0x64)  # compact, of bytes
        m.put(at + (40 if minor >= 12 else 48), chars)
    m.words(BASE, INTERPRETER)
    m.words(INTERPRETER + 8, STATE)
    m.words(STATE + 24, CALL if minor in (11, 12) else FRAME, PTHREAD, 4711)
    m.words(CALL + 8, FRAME)
    m.words(FRAME + 16, CODE)
    m.words(FRAME + (360 if minor == 9 else 72), THREAD)
    m.words(CODE + 8, BASE, 0, BOOTSTRAP, BOOTSTRAP)
    text(BOOTSTRAP, b"Thread._bootstrap" if minor >= 11 else b"_bootstrap")
    text(KEY, b"_name")
    text(NAME, b"worker")
    m.words(THREAD + 8, TYPE)
    return m


for which, minor in enumerate((9, 10, 11, 12, 13)):
    if minor == 10:
        continue  # as 3.9
    m = python(minor)
    if minor == 9:
        m.words(PTHREAD + 720, 4711)
        m.words(TYPE + 288, 32)
        m.words(THREAD + 32, DICT)
        m.words(DICT + 32, KEYS)
        m.words(KEYS + 8, 8, 0, 0, 1)
        m.words(KEYS + 48, 99, KEY, NAME)
    else:
        m.words(TYPE + (872 if minor == 11 else 880), KEYS)
        m.words(KEYS + 8, 1 << 16 | 3 << 8, 0, 1)  # names alone
        m.words(KEYS + 40, KEY)
        if minor == 11:
            m.words(THREAD - 32, VALUES)
        elif minor == 12:
            m.words(THREAD - 24, VALUES - 1)
        else:
            m.words(TYPE + 32, 32)
            m.put(THREAD + 32, b"\0\0\0\1")
        m.words(THREAD + 40 if minor == 13 else VALUES, NAME)
    m.write(f"python3.{minor}", which)

for which, machine in (5, "hotspot11"), (6, "hotspot21"):
    m = Memory()
    m.words(BASE, STATE)
    m.words(STATE + 8, 1, CALL)
    m.words(CALL, FRAME)
    m.words(FRAME + 8, THREAD if machine == "hotspot11" else DICT, CODE)
    m.words(CODE + 8, 4711)
    m.words(DICT, THREAD)
    m.words(THREAD + 16, KEY)
    m.words(KEY + 16, NAME)
    m.words(NAME + 8, 19 << 32)
    m.put(NAME + 16, b"fifteen-letters-ago")
    m.write(machine, which)
PY
printf '\5\0\0\1\0\0\0\0\0' >"$out/runtime_threads/wrong_list"

# --- recordings: payloads of names, and an interval with a sample of each type ---
mkdir -p "$out/recording"
python3 - "$out/recording" "$root" <<'PY'
import struct
import sys

TEXT, OBJECT, FUNC, LOC, STACK, LOC_FUNC, INLINED, CGROUP, ROUTE, INTERVAL, SAMPLES = \
    4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 32
NAMES_BLOCK, SAMPLES_BLOCK = 1, 2


def varint(x):
    out = b""
    while x >= 128:
        out += bytes([x & 127 | 128])
        x >>= 7
    return out + bytes([x])


def record(kind, body):
    return varint(kind) + varint(len(body)) + body


def fields(*numbers):
    return b"".join(map(varint, numbers))


def block(kind, payload):
    return bytes([kind]) + struct.pack("<H", len(payload)) + payload


names = b"".join(record(TEXT, x) for x in (b"prog", b"/usr/bin/prog", b"main", b"work", b"/a.slice"))
names += record(OBJECT, fields(0, 1, 1, 2, 0, 8, 1, 77))
names += record(FUNC, fields(1, 1, 1, 0, 64, 3, 0)) + record(FUNC, fields(1, 1, 0, 64, 64, 4, 0))
names += record(LOC, fields(1, 8)) + record(LOC, fields(1, 80))
names += record(STACK, fields(0, 0, 0, 0, 1)) + record(LOC_FUNC, fields(0, 1))
names += record(LOC_FUNC, fields(1, 2)) + record(INLINED, fields(1, 1)) + record(CGROUP, fields(9, 5))
health = fields(*[5] * 8) + bytes(48) + fields(1, 1, 1, 0)
# One for each row of the tables.
MODELS = sum(line.startswith(("MODEL(", "MEASURE("))
             for table in ("models/models.def", "measures/measures.def")
             for line in open(f"{sys.argv[2]}/{table}"))
mark = record(INTERVAL, fields(3000000000) + bytes(8) + fields(MODELS)
              + b"".join(record(m, fields(1000000000) + health) for m in range(MODELS)))
route = record(ROUTE, fields((1 << MODELS) - 1, 2000000000))
every = b""
for kind in (*range(14), 18, 19, 20):
    # Where these have texts and truths others have the cgroup.
    head = [1] * 12 if kind in (1, 6, 8, 9, 18, 19, 20) else [3, 3, 1, 9, 1, 1, 1, 1, 1, 2, 1, 0]
    sample = record(SAMPLES + kind, fields(*head, *[1] * 301))
    every += sample
    whole = block(NAMES_BLOCK, names) + block(SAMPLES_BLOCK, route + sample + mark)
    with open(f"{sys.argv[1]}/{kind}", "wb") as f:
        # The fuzzer filters by pid when it is odd; what is too short for a block is none.
        f.write(whole + bytes(len(whole) % 2))
with open(f"{sys.argv[1]}/all", "wb") as f:
    f.write(block(NAMES_BLOCK, names) + 3 * block(SAMPLES_BLOCK, route + every + mark))
PY

# --- questions about the fuzzer's own event, and a tracepoint's format ---
mkdir -p "$out/question" "$out/tracepoint_format"
i=0
while IFS= read -r line; do
	printf '%s' "$line" >"$out/question/$((i += 1))"
done <<'ASK'
count sched:sched_*/prio < 100 && comm ~ "a*"/ if a4 == -1 || (u8)b8 >> 2 & 7 by name, str, a1 hist b2 * 4K KiB
count cycles, cpu/event=0x3c,umask=1/u, r1a8 by pid, comm, kstack sum (p->a8 ? p->p->x4 : 10ms) / z2
span a:b, a:c -> a:d -> a:e on p = tid if latency > 10ms by entry(str), entry(a4) between cpu-clock, page-faults
nest irq:irq_handler_entry -> irq:irq_handler_exit, irq:softirq_entry -> irq:softirq_exit on cpu
hold uretprobe:"/usr/lib/a b.so":malloc -> uprobe:'/x':free on ret = arg0 size entry(arg1) by ustack
list usdt:/bin/x:p:n, btf:block_rq_issue, kprobe:vfs_read, kretprobe:f if name ~ "[!a-c]*\\?" show str, i3
burst mem:0x601040/8:rw, mem:16:x every 1ms sample stack if !(count == 'a' - '\xff') || 0777ul < ~-+5u
count a:b if (char *)p == "x" || ((struct record *)b8)->p->name == "\n\x7f\"" && current->pid != 1 && name != str by -x4 ? y8 : -k24
ASK
printf 'count a:b if name == 3' >"$out/question/wrong_type"
printf 'count a:b if ((((x' >"$out/question/wrong_end"
printf 'count a:b by nothing' >"$out/question/wrong_name"
{
	printf 'name: sys_enter_x\nID: 3\nformat:\n'
	printf '\tfield:%s;\toffset:%s;\tsize:%s;\tsigned:%s;\n' \
		'unsigned short common_type' 0 2 0 'int common_pid' 4 4 1 'char comm[16]' 8 16 0 \
		'__data_loc char[] name' 24 4 0 '__rel_loc char[] path' 28 4 0 'int fd' 32 8 0 \
		'const char * file' 40 8 0 'struct sockaddr * addr' 48 8 0 'u8 id[16]' 56 16 0 \
		'unsigned long tail[]' 72 0 0 'bool yes' 72 1 0
	printf '\nprint fmt: "%%s", REC->comm\n'
} >"$out/tracepoint_format/all"
printf 'name: x\nfield:int a;\toffset:8;\tsize:4;\n' >"$out/tracepoint_format/wrong_signed"

i=0
while IFS= read -r line; do
	printf '%s' "$line" >"$out/filter/$((i += 1))"
done <<'EXPR'
pid=1,2 tid=3-9 comm~^ngin[xy] cgroup=/system.slice/* cpu=0-3,7
!comm~"a b" state=D min=10ms max=1s
task=kernel !task=user sym~malloc|free obj~libc !pid=4194304
pid!=4 min=1.5us max=2s
EXPR
printf 'cgroup="a b" comm~(' >"$out/filter/wrong_regex"
printf 'pid=4294967295' >"$out/filter/wrong_pid"
printf 'comm~^ng.n[xy]$ !comm~.(?=\\d+)\0nginx' >"$out/filter/name"
printf 'sym~"\\w+::(a|b)*?c" obj~\\.so(\\.\\d+)*$ comm~\\p{L}\0x\303\251::ab\377c.so.6' >"$out/filter/names"
mkdir -p "$out/event" "$out/input"
i=0
for name in cpu/field=0x3c,named/ cpu/named/ 'cpu/config=1,config1=0x7f,config2=3/' \
	sched:sched_switch:u cycles:P LLC-load-misses r01c2 page-faults cpu/field/; do
	printf '%s\n' "$name" 'config:0-7,32-35' 'field=0x3c,field' 4 315 >"$out/event/$((i += 1))"
done
for name in cpu/named/ cpu/field=0x3c/u 'sched:*'; do
	printf '%s\n' "$name" 'config:0-7,32-35' 'field=0x3c,field=?' 4 315 >"$out/event/wrong$((i += 1))"
done
printf '\033[A\033[B\033OP\033[15~\033[1;5C\033[Zabc\t\t\r' >"$out/input/keys"
printf '\033[<0;10;10M\033[<64;200;3M\033[<0;10;10m\033[M !!' >"$out/input/mouse"
printf '\033[<0;10\033[<0;5;5M\033[M %%#\033[<;;;M\033[<0;99999;1Mq\033[<' >"$out/input/cut"
printf 'caf\303\251 \346\227\245\346\234\254 \377\303(\001\005\027\013\020\016\x7f' >"$out/input/text"
printf '\033[200~paste\033[201~\033[I\033x\033\303\251\033\033[' >"$out/input/odd"
mkdir -p "$out/options" "$out/proc" "$out/source"
i=0
while IFS= read -r line; do
	printf '%s' "${line// /$'\n'}" >"$out/options/$((i += 1))"
done <<'WORDS'
-p 1,2 -t 3 -G /a -C 0-3,7 -F 99 -V cpu -d 2.5
-b -n 3 -o x.svg -o y.json --format json --group comm,cgroup
--replay r --from -90s --to 14:05:33 --speed 0.5
--record r --history 5:16 --stack-copy 8192 --call-graph eh -c 1000
-e cycles:u --filter comm~^a -- sleep 5
--do :view --script s --size 80x24 --theme dark --keymap vi --ascii
--list-events sched:*
--doctor --format=json --config x
-b --no-config -- +10s start end 1:2
WORDS
# A byte that says which text it is, and its lines.
text() { printf "\\$1"; shift; printf '%s\n' "$@"; }
text 0 '25 1 0:22 /a /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw' \
	'26 1 0:23 / /sys/fs/cgroup/mem\040ory rw - cgroup cgroup rw,memory' '0::/a.slice/b' \
	'5:cpu,memory:/x' >"$out/proc/groups"
text 1 '28 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw' \
	'29 28 0:40 / /mnt\134 rw - btrfs /dev/vdb rw' '30 28 0:41 / /n rw - nfs4 h:/x rw' >"$out/proc/mounts"
text 2 ' 254 0 vda 1 2 3 4 5 6 7 8 0 10 11 0 0 0 0 12 13' \
	' 7 0 loop0 0 0 0 0 0 0 0 0 0 0 0' '259 1048575 nvme0n1 1' ' x' >"$out/proc/devices"
text 3 'cpu  1 2 3 4 5 6 7 8 0 0' 'MemTotal: 100 kB' 'MemAvailable:   18446744073709551615 kB' \
	>"$out/proc/signs"
text 3 'some avg10=1.25 avg60=0.00' 'full avg10=nan' >"$out/proc/pressure"
text 3 '0.10 99.5 1e9 2/300 77' >"$out/proc/load"
text 4 '0-3,5,7-9' >"$out/proc/cpus"
text 5 'ffffffff81000000 A abs' 'ffffffff81000000 T _text' >"$out/proc/address"
printf '\5cgroup:4711' >"$out/proc/nameless"
printf '\10\6\0\0\0\1\0\0\0\0\1\0\0Linux\0\0\0\0\0\0\0\4\0\0\0\24\0\0\0\3\0\0\0GNU\0%020d' 7 \
	>"$out/proc/notes"
text 6 '4711 (a (b) c) S 1 4711 4711 0 -1 4194304 99 0 1 0 12 34 0 0 20 0 3 0 123456 1000000 250 9' \
	>"$out/proc/process"
text 7 '28 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw' '29 28 0:40 / /a\040b\777 rw - tmpfs x ro,emergency_ro' \
	'29 28 0:40' ' - ' >"$out/proc/filesystems"
text 7 'a [1] b[77]: segfault at 0 ip 1' >"$out/proc/crash"
text 7 'anon 5' 'total_rss 7' 'total_shmem 99999999999999999999' >"$out/proc/memory"
text 7 'Inter-| x' 'eth0:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16' >"$out/proc/interfaces"
for n in 0 1 2 3 4 5 6 7; do
	text $n 'none of it' >"$out/proc/wrong$n"
done
mkdir -p "$out/process" "$out/commands" "$out/script"
text 0 '4711 (a (b) c) S 1 4711 4711 0 -1 4194304 99 0 1 0 12 34 0 0 20 0 3 0 123456 1000000 250 9' \
	>"$out/process/stat"
text 0 $'2 (kthreadd\033[m) S 0 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 1 0 0' >"$out/process/kernel"
printf '\1/usr/bin/prog\0-a\0b c\033[2J\0\0' >"$out/process/cmdline"
text 2 $'Name:\tprog' $'Uid:\t0\t1000\t0\t0' $'NSpid:\t4711\t7' $'Groups:\t4 24' >"$out/process/status"
printf '\1\0\0' >"$out/process/wrong_kernel"
text 0 '1 (init' >"$out/process/wrong_cut"
i=0
while IFS= read -r line; do
	printf '%s' "$line" >"$out/commands/$((i += 1))"
done <<'WORDS'
view cpu; filter comm~^a pid=1; freq 99; delay 2.5
range -90s -10s; goto start; goto +10s; goto live
range start end; goto 14:05:33
group comm,symbol; window total; sort self down; idle on; mode user
keymap vi; theme dark; event cycles:u; period 1000; baseline set
search a\; b; row 3; save x.json; save-config; baseline x
WORDS
i=0
for line in nonsense 'freq 0' 'filter comm~(' 'range end start' 'view x' 'idle on; goto never'; do
	printf '%s' "$line" >"$out/commands/wrong$((i += 1))"
done
printf '%s\n' '# comment' 'key Up C-x F1 M-q' 'type café  x' 'click 3 1' 'double 0 0' 'tick 3' \
	'expect cpu' 'reject none' 'wait cpu' 'quit' >"$out/script/all"
printf '%s\n' 'resize 30 4' 'expect cpu' 'wheel up' ' wheel down ' 'tick' >"$out/script/resize"
printf '%s\n' 'tick' 'expect nothing of the kind' >"$out/script/wrong_expect"
printf 'int a;\r\n\tif (x)\t\treturn "\303\251\377\033[2J";\n\n%0500d\nend' 7 >"$out/source/some"
cp "$keymaps"/*.keys "$out/keymap"
mkdir -p "$out/syscall"
# Which ABI, the number, six arguments, which of them the texts are for, the texts.
call() { printf '%b' "\\$1\\$2\\$3\\0\\0$4" >"$out/syscall/$5"; }
four='\3\0\0\0\0\0\0\0' many='\377\377\377\377\377\377\377\377'
call 0 1 1 "$four$four$four$four$four$four\1\0/etc/passwd\0/tmp" openat
call 0 0 0 "$four$many$many$many$many$many\0\377/tmp/x\377\033[2J" read
call 1 146 0 "$four$four$many$four$four$four\7\7" compat
call 0 377 377 "$four$four$many$four$four$four\7\7" nameless
printf '\0\1\1\0\0' >"$out/syscall/wrong_short"
mkdir -p "$out/sql"
printf '%s' "0select E'a\\'b', -1.5e-3 + \$1, \$t\$ it's \$t\$ -- c" >"$out/sql/postgresql"
printf '%s' "1insert into t values (1, \"a\\\"b\"), (2, 'c''d') # e /* f */" >"$out/sql/mariadb"
mkdir -p "$out/theme" "$out/config"
printf '%s\n' 'view = offcpu # first' 'delay=2.5' '# freq = 99' 'history_mib = 64' 'ascii = yes' \
	'  # keymap = vi # mine' >"$out/config/some"
cp "$keymaps"/../themes/*.theme "$out/theme"
printf '%s\n' 'base dark' 'bad #ff5f5f on 52 bold underline | bright-red on blue # all' 'text own' \
	'dim 244 dim' >"$out/theme/some"
printf '%s\n' 'base vi' '[global]' 'C-x quit' 'F1 help # all' '[cpu]' 'M-é sort-next' '# none' 'q none' 'G inherit' \
	>"$out/keymap/some"
mkdir -p "$out/target"
printf '/view/cpu.json?group=comm%%2Csymbol&sort=self_count+up&filter=pid%%3D1\0text/plain;q=0.5,*/*' \
	>"$out/target/view"
printf '/debug/pprof/profile?seconds=30&pid=7\0Bearer a token of 16 or more' >"$out/target/profile"
printf '/metrics\0[::1]:9464' >"$out/target/metrics"
printf '/debug/pprof/\0/run/proftop.sock' >"$out/target/index"
printf '/view/../%%2e%%2e/etc/passwd\0' >"$out/target/wrong_path"
i=0
for name in _ZNSt6vectorIiSaIiEE9push_backEOi _ZN4core3fmt9Formatter9write_str17h0123456789abcdefE \
	_RNvCs1234_7mycrate4main _ZL4workRKSt3mapISsiSt4lessISsESaISt4pairIKSsiEEE.cold \
	_ZZ4mainENKUlvE_clEv.llvm.123 _RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate; do
	printf '%s' "$name" >"$out/demangle/$((i += 1))"
done
for name in elf debuginfo unwind_table unwind_walk partner perfmap kallsyms maps filter keymap \
	demangle perf_record perf_data folded heap_profile recording event options theme config commands target runtime_threads; do
	printf 'none of it' >"$out/$name/wrong"
done
touch "$out/.made"
