// SPDX-License-Identifier: GPL-2.0-only
/* 70 and 30 % of two functions, below a recursion, a lambda and a sort's callback; and threads that
 * wait for a monitor, a permit, a socket and a time, from functions of their own. */
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

public class JavaShares {
    static final Object monitor = new Object();
    static volatile long sink;


    static long hot70(long x) {
        for (int i = 0; i < 70_000; i++)
            x = x * 6364136223846793005L + 1442695040888963407L ^ x >>> 29;
        return x;
    }

    static long hot30(long x) {
        for (int i = 0; i < 30_000; i++)
            x = x * 6364136223846793005L + 1442695040888963407L ^ x >>> 29;
        return x;
    }

    static long round(long x) {
        return hot30(hot70(x));
    }

    static int keyOf(int a, int b) {
        sink = round(a ^ b);
        return a - b;
    }

    static long bySort(long x) {
        Integer[] two = {(int) x, 1};

        Arrays.sort(two, JavaShares::keyOf);
        return two[0];
    }

    static long throwing(long x) {
        try {
            thrower(x);
        } catch (IllegalStateException e) {
            x += e.getMessage().length();
        }
        return x;
    }

    static void thrower(long x) {
        if (x != -1)
            throw new IllegalStateException("as always");
    }

    static long descend(int depth, LongUnaryOperator op, long x) {
        return depth == 0 ? op.applyAsLong(throwing(x)) : descend(depth - 1, op, x) + 1;
    }

    static void works(int depth) {
        for (long x = 1;; x++)
            sink = descend(depth, JavaShares::bySort, x);
    }

    static void sleeps() throws Exception {
        while (true)
            Thread.sleep(20);
    }

    static void holds() throws Exception {
        while (true) {
            synchronized (monitor) {
                Thread.sleep(20);
            }
            Thread.sleep(1);
        }
    }

    static void wants() throws Exception {
        while (true) {
            synchronized (monitor) {
                sink++;
            }
            Thread.sleep(1);
        }
    }

    static void parks() {
        while (true)
            LockSupport.parkNanos(20_000_000);
    }

    static void reads(Socket from) throws Exception {
        while (from.getInputStream().read() >= 0)
            sink++;
    }

    static void writes(Socket to) throws Exception {
        while (true) {
            to.getOutputStream().write(1);
            Thread.sleep(20);
        }
    }

    interface Task {
        void run() throws Exception;
    }

    static void start(String name, Task task) {
        Thread t = new Thread(() -> {
            try {
                task.run();
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }, name);

        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        int depth = Integer.parseInt(args[0]);
        ServerSocket server = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket accepted = server.accept();

        start("sleeper", JavaShares::sleeps);
        start("holder", JavaShares::holds);
        start("wanter", JavaShares::wants);
        start("parker", JavaShares::parks);
        start("reader", () -> reads(client));
        start("writer", () -> writes(accepted));
        System.out.println("ready");
        works(depth);
    }
}
