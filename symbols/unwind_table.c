// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwind_table.h"

#include <gelf.h>
#include <sys/stat.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "symbols/debugfile.h"
#include "symbols/elf.h"
#include "symbols/go_table.h"
#include "symbols/unwind_cfi.h"
#include "symbols/unwind_known.h"
#include "symbols/unwind_rows.h"

#define BASE_ALIGN 4096ull
#define SECTIONS   3 /* .eh_frame, Go's or .debug_frame, that of the separate debug file */
#define MAKING	   3 /* bytes a byte of a section, about: itself, its ranges, their rows */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE_DATA ELFDATA2MSB
#else
#define NATIVE_DATA ELFDATA2LSB
#endif

/* An object while its table is made. */
struct table_builder {
	Elf *elf;
	struct cfi_code code;
	struct cfi_index index;
	struct cfi_section sections[SECTIONS];
	u32 nsections;
	u8 *go;
	struct debugfile separate;
	bool large; /* a section was left out */
	struct byte_budget budget;
};

static int refuse(struct status *st, int err, const char *why)
{
	return status__set(st, EXIT_CODE_FAILURE, err, "no unwind table: %s", why);
}

/* --- what there is --- */

static int check(Elf *elf, GElf_Ehdr *eh, struct status *st)
{
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, eh) || !elf__bounded(elf))
		return refuse(st, -EINVAL, "not an ELF file, or a broken one");
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != NATIVE_DATA ||
	    !unwind_machine__of(eh->e_machine))
		return refuse(st, -ENOTSUP, "only made for x86-64 and aarch64");
	return 0;
}

static void read_code(Elf *elf, struct cfi_code *code)
{
	u64 lowest = UINT64_MAX, highest = 0;
	GElf_Phdr ph;
	size_t n;

	code->elf = elf;
	if (elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n && code->n < CFI_EXEC_RANGES; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || ph.p_vaddr + ph.p_filesz < ph.p_vaddr)
			continue;
		code->exec[code->n].start = ph.p_vaddr;
		code->exec[code->n].offset = ph.p_offset;
		code->exec[code->n++].end = ph.p_vaddr + ph.p_filesz;
		lowest = MIN(lowest, ph.p_vaddr);
		highest = MAX(highest, ph.p_vaddr + ph.p_filesz);
	}
	if (highest > UINT32_MAX)
		code->base = lowest & ~(BASE_ALIGN - 1);
}

static u64 section_addr(Elf *elf, const char *name)
{
	Elf_Scn *scn = elf__section(elf, name, SHT_PROGBITS);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) ? sh.sh_addr : 0;
}

/* What position-independent code counts data from: DT_PLTGOT, by its section. */
static u64 got_addr(Elf *elf)
{
	u64 addr = section_addr(elf, ".got.plt");

	return addr ? addr : section_addr(elf, ".got");
}

/* A table that is made must not be what a control group's limit is passed by. */
static bool is_large(u64 section_bytes)
{
	return section_bytes > memory__share((u64)UNWIND_MAX_BYTES * MAKING) / MAKING;
}

/* How large it is unpacked, libelf tells only after it has read all that is packed. */
static bool promises_much(Elf_Scn *scn, const GElf_Shdr *sh)
{
	GElf_Chdr ch;

	return is_large(sh->sh_size) ||
	       ((sh->sh_flags & SHF_COMPRESSED) && gelf_getchdr(scn, &ch) && is_large(ch.ch_size));
}

/* Of a section that may be packed. NULL: there is none, or it promises too much. */
static Elf_Data *frames_of(struct table_builder *k, Elf_Scn *scn, GElf_Shdr *sh)
{
	if (!scn || !gelf_getshdr(scn, sh))
		return NULL;
	if (promises_much(scn, sh)) {
		k->large = true;
		return NULL;
	}
	if ((sh->sh_flags & SHF_COMPRESSED) &&
	    (elf_compress(scn, 0, 0) < 0 || !gelf_getshdr(scn, sh)))
		return NULL;
	return elf__bytes(scn, &k->budget);
}

static void add_section(struct table_builder *k, Elf *elf, const char *name, bool eh, s64 bias)
{
	struct cfi_section *s = &k->sections[k->nsections];
	GElf_Shdr sh;
	Elf_Data *data = frames_of(k, elf__section(elf, name, 0), &sh);

	if (!data)
		return;
	k->nsections++;
	*s = (struct cfi_section){
		.data = {data->d_buf, data->d_size},
		.addr = eh ? sh.sh_addr : 0,
		.got = eh ? got_addr(elf) : 0,
		.bias = bias,
		.eh = eh,
	};
	cfi_index__add(&k->index, s);
}

/* Of a Go program, stripped or not: it says more than .debug_frame. False: there is none. */
static bool add_go(struct table_builder *k)
{
	struct go_table *t = go_table__open(k->elf, &k->budget, false);
	struct cfi_section *s = &k->sections[k->nsections];
	size_t size;

	if (!t)
		return false;
	k->go = go_frames__make(t, k->index.machine->elf, &size);
	go_table__close(t);
	k->nsections++;
	*s = (struct cfi_section){.data = {k->go, size}};
	cfi_index__add(&k->index, s);
	return true;
}

static void add_separate(struct table_builder *k, int fd, const char *root, const char *path)
{
	struct debugfile program = {.fd = fd, .elf = k->elf, .path = (char *)path};
	u64 here, there;
	s64 bias = 0;

	if (debugfile__find_separate(&program, root, path, &k->separate))
		return;
	if (elf__text_addr(k->elf, &here) && elf__text_addr(k->separate.elf, &there))
		bias = (s64)(here - there);
	add_section(k, k->separate.elf, ".debug_frame", false, bias);
}

/* --- tables --- */

static int make(struct table_builder *k, struct unwind_table *out, struct status *st)
{
	int err = 0;

	cfi_index__sort(&k->index);
	*out = (struct unwind_table){
		.base = k->code.base,
		.machine = k->index.machine->elf,
		.odd = k->index.unread,
	};
	for (u32 i = 0; i < k->code.n; i++)
		out->exec_bytes += k->code.exec[i].end - k->code.exec[i].start;
	if (k->index.full || (k->large && !k->index.nfdes) || unwind_rows__make(&k->index, out))
		err = refuse(st, -E2BIG, "it describes more code than is kept at hand");
	else if (!k->index.nfdes)
		err = refuse(st, -ENODATA, "it has neither .eh_frame nor .debug_frame");
	if (err)
		unwind_table__free(out);
	return err;
}

/* What is executed, and where .eh_frame says how. */
static int begin(struct table_builder *k, Elf *elf, struct status *st)
{
	GElf_Ehdr eh;
	int err = check(elf, &eh, st);

	*k = (struct table_builder){.elf = elf, .separate = DEBUGFILE_NONE, .budget = elf__budget()};
	if (err)
		return err;
	read_code(elf, &k->code);
	k->index = (struct cfi_index){
		.machine = unwind_machine__of(eh.e_machine),
		.code = &k->code,
		.max_fdes = UNWIND_MAX_RANGES,
	};
	add_section(k, elf, ".eh_frame", true, 0);
	return 0;
}

/* fd: -1 in memory. */
static int read_elf(Elf *elf, int fd, const char *root, const char *path, struct unwind_table *out,
		    struct status *st)
{
	struct table_builder k;
	int err = begin(&k, elf, st);

	if (err)
		return err;
	if (!add_go(&k))
		add_section(&k, elf, ".debug_frame", false, 0);
	if (!k.index.nfdes && fd >= 0)
		add_separate(&k, fd, root, path);
	if (k.index.nfdes) { /* by themselves they lead nowhere */
		unwind_known__add_plt(elf, &k.index);
		unwind_known__add_sigreturn(elf, &k.index);
	}
	err = make(&k, out, st);
	free(k.go);
	cfi_index__fini(&k.index);
	debugfile__close(&k.separate);
	return err;
}

void unwind_table__each_range(Elf *elf, void (*take)(void *ctx, u64 start, u64 size), void *ctx)
{
	struct table_builder k;
	struct status st;

	if (begin(&k, elf, &st))
		return;
	for (u32 i = 0; i < k.index.nfdes; i++)
		take(ctx, k.code.base + k.index.fdes[i].pc, k.index.fdes[i].len);
	cfi_index__fini(&k.index);
}

int unwind_table__read(int fd, const char *root, const char *path, struct unwind_table *out,
		       struct status *st)
{
	struct stat sb;
	Elf *elf;
	int err;

	*out = (struct unwind_table){0};
	elf_version(EV_CURRENT);
	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode) || !elf__sane(fd, sb.st_size))
		return refuse(st, -EINVAL, "not an ELF file, or a broken one");
	/* Read, not mapped: a file cut short while it is read must not raise SIGBUS. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	err = read_elf(elf, fd, root, path, out, st);
	if (elf)
		elf_end(elf);
	return err;
}

int unwind_table__read_memory(const void *image, size_t size, struct unwind_table *out,
			      struct status *st)
{
	Elf *elf;
	int err;

	*out = (struct unwind_table){0};
	elf_version(EV_CURRENT);
	if (!elf__sane_image(image, size))
		return refuse(st, -EINVAL, "not an ELF file, or a broken one");
	/* Only read, though libelf's type does not say so. */
	elf = elf_memory((char *)image, size);
	err = read_elf(elf, -1, "", "", out, st);
	if (elf)
		elf_end(elf);
	return err;
}

void unwind_table__free(struct unwind_table *t)
{
	free(t->rows);
	*t = (struct unwind_table){0};
}

const struct unwind_row *unwind_table__find(const struct unwind_table *t, u64 vaddr)
{
	u32 after;

	if (!t->nrows || vaddr < t->base || vaddr - t->base > UINT32_MAX)
		return NULL;
	BISECT(after, 0, t->nrows, i, t->rows[i].pc <= vaddr - t->base);
	return after ? &t->rows[after - 1] : NULL;
}
