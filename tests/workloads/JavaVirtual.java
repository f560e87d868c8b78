// SPDX-License-Identifier: GPL-2.0-only
// 70 and 30 % of the CPU in two methods, in a virtual thread that waits now and then: what called them lies in
// the heap from then on. For Java 21 and later. Usage: JavaVirtual DEPTH; prints "ready".
public class JavaVirtual {
	static volatile long sum;

	static void hot(int n) {
		long x = 1;
		for (int i = 0; i < n; i++)
			x = x * 31 + 7;
		sum += x;
	}

	static void hot70() { hot(70_000); }
	static void hot30() { hot(30_000); }

	static void rounds(int n) throws Exception {
		for (;;) {
			hot70();
			hot30();
			if (n++ % 64 == 0)
				Thread.sleep(1);
		}
	}

	static void descend(int depth) throws Exception {
		if (depth > 0)
			descend(depth - 1);
		else
			rounds(0);
	}

	public static void main(String[] args) throws Exception {
		Thread t = Thread.ofVirtual().name("worker").start(() -> {
			try {
				descend(Integer.parseInt(args[0]));
			} catch (Exception e) {
			}
		});
		System.out.println("ready");
		t.join();
	}
}
