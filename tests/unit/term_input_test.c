/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys and mouse reports of terminals, whole, unknown and cut off. */
#include "tests/unit/term_session.h"

static void keys(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	press(&s, "a", "key a");
	press(&s, "é", "key é");
	press(&s, "\r", "key Enter");
	press(&s, "\n", "key Enter");
	press(&s, "\t", "key Tab");
	press(&s, "\177", "key Backspace");
	press(&s, "\b", "key Backspace");
	press(&s, "\003", "key C-c");
	press(&s, "\032", "key C-z");
	press(&s, "\033OA", "key Up");
	press(&s, "\033[5~", "key PgUp");
	press(&s, "\033OH", "key Home");
	press(&s, "\033OP", "key F1");
	press(&s, "\033[Z", "key BackTab");
	press(&s, "\033", "key Esc");
	press(&s, "\033x", "key M-x");
	stop(&s);
	end(&s);
}

static void unknown_sequences_are_no_keys(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	press(&s, "\033[200~b\033[201~", "key b");
	press(&s, "\033[?997;1nc", "key c");
	press(&s, "\033[I\033[Od", "key d");
	press(&s,
	      "\xff\xfe"
	      "e",
	      "key e");
	stop(&s);
	end(&s);
}

static void mouse(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	draw(&s, 'p');
	press(&s, "\033[<0;5;3M", "mouse 0 4 2");
	press(&s, "\033[<0;5;3m\033[<0;5;3M", "mouse 1 4 2");
	press(&s, "\033[<0;5;3m\033[<0;9;3M", "mouse 0 8 2");
	press(&s, "\033[<64;5;3M", "mouse 2 4 2");
	press(&s, "\033[<65;5;3M", "mouse 3 4 2");
	stop(&s);
	end(&s);
}

static void mouse_of_older_terminals(void **state)
{
	struct session s;

	begin(&s, "screen");
	draw(&s, 'p');
	press(&s, "\033[M %#", "mouse 0 4 2");
	press(&s, "\033[M#%#\033[M`\xc8#", "mouse 2 167 2");
	press(&s, "\033[M \x1b[5~", "key PgUp");
	stop(&s);
	end(&s);
}

/* Keys that are pressed until the terminal says what it was; 0: it does not. */
static u32 presses_until_heard(struct session *s, char key, char *reply, size_t size)
{
	struct pollfd p = {.fd = s->replies, .events = POLLIN};

	assert_int_equal(write(s->steps, "i", 1), 1);
	for (u32 n = 1; n <= SEQUENCE_MAX; n++) {
		assert_int_equal(write(s->tty, &key, 1), 1);
		if (poll(&p, 1, 100) == 1) {
			wait_reply(s, reply, size);
			return n;
		}
	}
	return 0;
}

/* What is left of a report when a connection broke or a paste was cut. */
static void cut_report_blocks_no_key(void **state)
{
	struct session s;
	char reply[64];

	begin(&s, "xterm-256color");
	draw(&s, 'p');
	press(&s, "\033[<0;5;\033[<0;5;3M", "mouse 0 4 2");
	press(&s, "\033[<0;5;\033OB", "key Down");
	press(&s, "\033[<0;5;\rj", "key Enter");
	press(&s, "", "key j");
	press(&s, "\033[<xj", "key j");
	press(&s, "\033[<0;;3Mj", "key j");
	press(&s, "\033[<0;99999999999;3Mj", "key j");
	press(&s, "\033[<0;1;1;1Mj", "key j");
	/* A digit could be its next byte, but not for ever. */
	assert_int_equal(write(s.tty, "\033[<0;1", 6), 6);
	assert_in_range(presses_until_heard(&s, '5', reply, sizeof(reply)), 2, SEQUENCE_MAX - 8);
	assert_string_equal(reply, "key 5");
	stop(&s);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(unknown_sequences_are_no_keys),
		cmocka_unit_test(mouse),
		cmocka_unit_test(mouse_of_older_terminals),
		cmocka_unit_test(cut_report_blocks_no_key),
	};

	setenv("LC_ALL", "C.UTF-8", 1);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
