/*===- Start.c - where the process begins --------------------------------------===*\
 *
 * What a C compiler's crt1.o does for a program that has no constructors: so no compiler has to be
 * there where graphc links programs. The kernel gives the stack (argc, argv, environment), the
 * dynamic linker a function to be called at the end.
 *
\*===----------------------------------------------------------------------===*/
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined rip\n"
        "  xorl %ebp, %ebp\n"    /* the outermost frame */
        "  movq %rdx, %r9\n"     /* to be called at the end */
        "  movq (%rsp), %rsi\n"  /* argc */
        "  leaq 8(%rsp), %rdx\n" /* argv */
        "  movq %rsp, %rax\n"
        "  andq $-16, %rsp\n"
        "  pushq %rax\n"
        "  pushq %rax\n"      /* end of the stack, the seventh argument */
        "  xorl %ecx, %ecx\n" /* no constructors */
        "  xorl %r8d, %r8d\n" /* no destructors */
        "  leaq main(%rip), %rdi\n"
        "  call *__libc_start_main@GOTPCREL(%rip)\n"
        "  hlt\n"
        "  .cfi_endproc\n"
        ".size _start, . - _start\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl _start\n"
        ".type _start, %function\n"
        "_start:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined x30\n"
        "  mov x29, #0\n"
        "  mov x30, #0\n"    /* the outermost frame */
        "  mov x5, x0\n"     /* to be called at the end */
        "  ldr x1, [sp]\n"   /* argc */
        "  add x2, sp, #8\n" /* argv */
        "  mov x6, sp\n"     /* end of the stack */
        "  mov x3, #0\n"     /* no constructors */
        "  mov x4, #0\n"     /* no destructors */
        "  adrp x0, main\n"
        "  add x0, x0, :lo12:main\n"
        "  bl __libc_start_main\n"
        "  brk #1\n"
        "  .cfi_endproc\n"
        ".size _start, . - _start\n");
#else
#error "_start is written for x86-64 and aarch64"
#endif
