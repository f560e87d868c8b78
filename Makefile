# SPDX-License-Identifier: GPL-2.0-only
# proftop: `make run` and `make check` are all a new machine needs. Everything is built
# below build/; no per-file rows: a new .c or .bpf.c file is picked up by its folder.

MAKEFLAGS += --no-builtin-rules
SHELL     := /bin/bash
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all run check bench accuracy faults lock-oracles screenshots tour install deb deps clean

B        := build
CC       := gcc
CLANG    := clang
BPFTOOL  := $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
PREFIX   := /usr/local
DESTDIR  :=
# Of what is built, and where its headers are: not this machine's when CC is a cross compiler.
MACHINE  := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
ARCH     := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(MACHINE)))
SYSROOT  :=
# The release is said once, in debian/changelog; a working tree adds its commit.
RELEASE  := $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
VERSION  := $(RELEASE)$(addprefix +g,$(shell git rev-parse --short HEAD 2>/dev/null))

DIRS     := base scope samples questions measures symbols export serve models sources pipeline recording widgets tui tui/views
SRCS     := $(wildcard $(addsuffix /*.c,$(DIRS)))
BPF_SRCS := $(wildcard bpf/*.bpf.c)
SKELS    := $(BPF_SRCS:bpf/%.bpf.c=$(B)/bpf/%.skel.h)
PROTOS   := $(wildcard export/*.proto)
SYSCALLS := $(patsubst %,$(B)/samples/syscalls_%.inc,native x32 compat)
PKGS     := ncursesw libbpf libelf libdw liblzma json-c libcap libzstd libprotobuf-c zlib libpcre2-8 libmicrohttpd gnutls
LOADED   := capstone # by who needs it: symbols/disasm.c
# Where a distribution has libperf, its own is taken; else scripts/deps builds one.
PKG_CONFIG     := pkg-config
LIBPERF_CFLAGS := $(shell $(PKG_CONFIG) --cflags libperf 2>/dev/null || echo -I$(B)/libperf/include)
LIBPERF_LIBS   := $(shell $(PKG_CONFIG) --libs libperf 2>/dev/null || echo $(B)/libperf/libperf.a $(B)/libperf/libapi.a)

LIBPERF_OWN    := $(filter %.a,$(LIBPERF_LIBS))

WARN     := -Wall -Wextra -Wformat-security -Wno-unused-parameter -Wshadow -Wvla -Wmissing-prototypes \
	    -Wstrict-prototypes -Wpointer-arith -Werror=implicit -Werror=incompatible-pointer-types
CFLAGS   := -O2 -g
LDFLAGS  :=
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags-only-I $(PKGS) $(LOADED) 2>/dev/null)
PKG_LIBS   := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null)
# -iquote: our own "base/log.h" never shadows a system's <log.h>.
CPPFLAGS = -D_GNU_SOURCE -DPROFTOP_VERSION='"$(VERSION)"' -DBUILD='"$(B)"' -iquote . -iquote $(B) \
	   -I$(SYSROOT)/usr/include/libiberty $(LIBPERF_CFLAGS) $(PKG_CFLAGS)
LDLIBS   = $(LIBPERF_LIBS) $(PKG_LIBS) -liberty -lpthread -lm
# Of flags those that the compiler takes, for the machine it compiles for, without a word.
taken     = $(foreach f,$(1),$(shell $(CC) -Werror $(f) -c -x c /dev/null -o /dev/null 2>/dev/null && echo $(f)))
HARDEN   := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE \
	    $(call taken,-fstack-clash-protection -fcf-protection -mbranch-protection=standard)
RELRO    := -Wl,-z,relro -Wl,-z,now
# Reports need lines, not variables: those take a quarter of the time that the compiler needs.
SAN_DEBUG := -fno-omit-frame-pointer -Og -g1
SAN_asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined $(SAN_DEBUG)
SAN_tsan := -fsanitize=thread $(SAN_DEBUG)
SAN_rel  := $(HARDEN) $(CFLAGS)

all: $(B)/proftop

# What is done in one line, `make V=1` for the commands.
Q = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$@';)

# One rule set per variant: rel (what is installed), asan, tsan.
define variant
$(B)/$(1)/%.o: %.c | $(SKELS) $(PROTOS:%.proto=$(B)/%.pb-c.h) $(SYSCALLS) $(LIBPERF_OWN)
	@mkdir -p $$(@D)
	$$(call Q,CC)$$(CC) -std=gnu17 $$(WARN) $$(SAN_$(1)) $$(CPPFLAGS) -MMD -MP -c $$< -o $$@
# Its bytes are in the object (.incbin), which -MMD does not see.
$(B)/$(1)/tui/keymap.o: $(wildcard keymaps/*.keys)
$(B)/$(1)/tui/theme.o: $(wildcard themes/*.theme)
$(B)/$(1)/tui/guide.o: docs/GUIDE.md
$(B)/$(1)/tui/tour.o: tui/tour.ptr
$(B)/$(1)/samples/counters.o: samples/counters.metrics
$(B)/$(1)/sources/measures.o $(B)/$(1)/sources/ask_source.o: $(BPF_SRCS:%.bpf.c=$(B)/%.bpf.o)
# Which release it is they hold too; which commit may be out of date where tests alone see it.
$(patsubst %,$(B)/$(1)/%.o,tui/program tui/tape tui/serve_answers export/speedscope export/openmetrics \
	export/trace): debian/changelog $(if $(filter rel,$(1)),$(B)/version)
$(B)/$(1)/export/svg.o: export/svg.js
$(B)/$(1)/export/html.o: export/html.js export/html.css
$(B)/$(1)/%.pb-c.o: $(B)/%.pb-c.c
	@mkdir -p $$(@D)
	$$(call Q,CC)$$(CC) -std=gnu17 $$(SAN_$(1)) $$(CPPFLAGS) -MMD -MP -c $$< -o $$@
$(B)/$(1)/libproftop.a: $(patsubst %.c,$(B)/$(1)/%.o,$(filter-out tui/main.c,$(SRCS))) \
		$(PROTOS:%.proto=$(B)/$(1)/%.pb-c.o)
	$$(call Q,AR)rm -f $$@; ar rcs $$@ $$^
$(B)/$(1)/proftop: $(B)/$(1)/tui/main.o $(B)/$(1)/libproftop.a
	$$(call Q,LINK)$$(CC) $$(SAN_$(1)) -pie $$(RELRO) $$(LDFLAGS) $$^ $$(LDLIBS) -o $$@
$(B)/$(1)/tests/%: $(B)/$(1)/tests/%.o $(B)/$(1)/tests/lib/libtest.a $(B)/$(1)/libproftop.a
	$$(call Q,LINK)$$(CC) $$(SAN_$(1)) -pie $$(RELRO) $$(LDFLAGS) $$^ $$(LDLIBS) -lcmocka -o $$@
endef
$(foreach v,rel asan tsan,$(eval $(call variant,$(v))))

$(B)/version: force
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@
.PHONY: force

$(B)/proftop: $(B)/rel/proftop
	@ln -f $< $@ && touch -c $@

$(LIBPERF_OWN):
	@echo "$@ is missing: make deps builds it" >&2; exit 1

$(B)/%.bpf.o: %.bpf.c
	@mkdir -p $(@D)
	$(call Q,BPF)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter \
		-D__TARGET_ARCH_$(ARCH) -iquote . \
		-idirafter $(SYSROOT)/usr/include/$(MACHINE)-linux-gnu -MMD -MP -c $< -o $@
$(B)/%.skel.h: $(B)/%.bpf.o
	$(call Q,SKEL)$(BPFTOOL) gen skeleton $< name $(*F)_bpf > $@

# Messages in C, by protobuf-c.
$(B)/%.pb-c.c $(B)/%.pb-c.h &: %.proto
	@mkdir -p $(@D)
	$(call Q,PROTO)protoc-c --c_out=$(B) $<

# Names of system calls by number, from the headers that CC has. asm/unistd.h is the machine's own;
# on x86-64 there are two more, for programs of other kinds.
SYSCALLS_native := \#include <asm/unistd.h>
SYSCALLS_x32    := \#ifdef __x86_64__\n\#include <asm/unistd_x32.h>\n\#endif
SYSCALLS_compat := \#ifdef __x86_64__\n\#include <asm/unistd_32.h>\n\#endif
$(B)/samples/syscalls_%.inc: Makefile
	@mkdir -p $(@D)
	$(call Q,NAMES)set -o pipefail; printf '$(SYSCALLS_$*)\n' | \
		$(CC) -E -dM -MD -MP -MF $@.d -MT $@ -x c - | sort | \
		sed -n -e '/ __NR_\(syscalls\|arch_specific_syscall\) /d' \
			-e 's/^#define __NR_\([a-z0-9_]*\) \(.*\)/SYSCALL(\1, \2)/p' > $@

# What deps installs changes what make reads at its start (pkg-config, wildcards): these
# targets install first and then start a make of their own.
AGAIN = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

deps:
	@scripts/deps

run:
	@scripts/deps build
	@$(AGAIN) all
	@exec $(B)/proftop $(ARGS)

check: export CHECK_BEGAN := $(shell date +%s)
check:
	@scripts/deps
	@$(AGAIN) check-all

bench:
	@scripts/deps
	@$(AGAIN) all workloads $(patsubst %.c,$(B)/rel/%,$(wildcard tests/bench/*_bench.c))
	$(PYTHON) tests/bench/run.py $(ARGS)

# The live tests once more, for docs/ACCURACY.md.
accuracy:
	@scripts/deps
	@$(AGAIN) check-build
	$(PYTHON) tests/accuracy.py

# The same for docs/FAULTS.md.
faults:
	@scripts/deps
	@$(AGAIN) check-build
	$(PYTHON) tests/faults.py

# What helgrind and TSan say of the programs whose orders of locks are known, for docs/LOCK_ORACLES.md.
lock-oracles:
	@scripts/deps
	@$(AGAIN) all workloads
	$(PYTHON) tests/lock_oracles.py

# The recording of :tour, after a change of what it is made from.
tour: $(B)/rel/tests/script/proftop_fixture
	tests/lib/tour.py $< tui/tour.ptr

screenshots:
	@scripts/deps
	@$(AGAIN) all workloads
	$(PYTHON) screenshots/make.py $(ARGS)

# Builds as whoever calls; installs below DESTDIR.
install: $(B)/proftop
	install -D -m 755 $(B)/proftop $(DESTDIR)$(PREFIX)/bin/proftop
	install -D -m 644 docs/proftop.1 $(DESTDIR)$(PREFIX)/share/man/man1/proftop.1
	install -D -m 644 docs/proftop.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/proftop

# Debian packages of what is committed, in build/packages.
deb:
	@scripts/deps build package
	@scripts/package $(B)/packages

clean:
	rm -rf $(B)

-include $(shell find $(addprefix $(B)/,rel asan tsan fuzz bpf sources tests) -name '*.d' -type f 2>/dev/null)
-include tests/tests.mk
