/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of an ELF file. The file is a stranger's and libelf was not written for those: only to
 * be called in a process of its own (symbols/jail.h), and so built upon nothing but the C library
 * and libelf. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What is told with the table. */
typedef enum
{
  WPR_ELF_NOTHING,   /* no ELF file, or no function in it */
  WPR_ELF_SYMTAB,    /* all functions, from the file itself */
  WPR_ELF_DYNSYM,    /* what the file exports, since it was stripped of the rest */
  WPR_ELF_MINIDEBUG, /* .gnu_debugdata beside what it exports */
  WPR_ELF_SEPARATE,  /* from a separate file of debugging symbols */
} WprElfSource;

/* A table (symbols/table.h) of addresses from the beginning of the lowest PT_LOAD on. debug_fd: a
 * file of debugging symbols, used if it has the same build id; -1. NULL with *source NOTHING; free
 * with free(). */
uint8_t *wpr_elf_names (int fd, int debug_fd, WprElfSource *source, size_t *size);
