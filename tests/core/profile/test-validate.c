/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything that is wrong with a file, with place, what is allowed and a suggestion; and that none
 * of a generator's broken files gets by without. */
#include "config.h"
#include "helpers.h"
#include "profile/schema.h"

#define SC "<SystemCollector Id=\"SC\"/>"
#define EC "<EventCollector Id=\"EC\" Name=\"E\"/>"
#define SP \
  "<SystemProvider Id=\"SP\"><Keywords><Keyword Value=\"CSwitch\"/></Keywords></SystemProvider>"
#define GOOD                                                                     \
  PROFILE ("P", "Light", "File", "")                                             \
  "<Collectors><SystemCollectorId Value=\"SC\"><SystemProviderId Value=\"SP\"/>" \
  "</SystemCollectorId></Collectors></Profile>"

/* The same library each time: the built-in profiles are read once. */
static WprLibrary *
read_library (const char *text, gsize size)
{
  static WprLibrary *library;
  if (library == NULL)
    library = wpr_library_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (text, size);
  g_autoptr (GError) error = NULL;
  gboolean good = wpr_library_add_bytes (library, bytes, "test.wprp", &error);
  assert_true (good == (error == NULL));
  return wpr_library_ref (library);
}

static const WprFault *
find_fault (WprLibrary *library, const char *what)
{
  const GPtrArray *faults = wpr_library_get_faults (library);
  for (guint i = 0; i < faults->len; i++)
    {
      const WprFault *fault = g_ptr_array_index (faults, i);
      if (strstr (fault->what, what) != NULL)
        return fault;
    }
  return NULL;
}

/* One wrong thing a row, on a line of its own. */
static const struct
{
  const char *line, *what, *path, *advice, *allowed;
  gboolean is_error;
  guint32 number;
} rows[] = {
  { "<SystemColector Id=\"X\"/>", "no element <SystemColector>", "/Profiles", "“SystemCollector”",
    "<EventCollector>", FALSE, 0xc5580701 },
  { "<SystemCollector Id=\"X\" Naem=\"y\"/>", "no attribute “Naem”", "/SystemCollector", "“Name”",
    "Realtime", FALSE, 0xc5580701 },
  { "<SystemCollector/>", "lacks the attribute “Id”", "/SystemCollector/@Id", "Id=", "characters",
    TRUE, 0xc5580701 },
  { "<SystemCollector Id=\"a b\"/>", "Id cannot be “a b”", "/@Id", "", "without", TRUE,
    0xc5580701 },
  { "<SystemCollector Id=\"X\" Realtime=\"yes\"/>", "neither true nor false", "/@Realtime",
    "true or false", "true", TRUE, 0xc5580701 },
  { "<SystemCollector Id=\"X\"><Buffers Value=\"1\"/><BufferSize Value=\"64\"/></SystemCollector>",
    "<BufferSize> stands behind <Buffers>", "/SystemCollector", "in front of", "<FlushTimer>",
    FALSE, 0xc5580701 },
  { "<SystemCollector Id=\"X\"><Buffers Value=\"1\"/><Buffers Value=\"2\"/></SystemCollector>",
    "too many <Buffers>", "/SystemCollector", "1 is allowed", "", FALSE, 0xc5580701 },
  { "<SystemCollector Id=\"X\"><MaximumFileSize Value=\"5\" FileMode=\"Round\"/></SystemCollector>",
    "no FileMode “Round”", "/MaximumFileSize/@FileMode", "Circular or Sequential", "Circular", TRUE,
    0xc5580701 },
  { "<SystemCollector Id=\"X\"><FileMax Value=\"17\"/></SystemCollector>", "out of range",
    "/FileMax/@Value", "0 to 16", "16", TRUE, 0xc5580701 },
  { "<SystemCollector Id=\"X\"><Buffers Value=\"1\" MaximumBufferSpace=\"5\"/></SystemCollector>",
    "limits a percentage", "/@MaximumBufferSpace", "PercentageOfTotalMemory", "", FALSE, 0 },
  { "<SystemCollector Id=\"X\"><FlushTimer Value=\"1\"/><FlushThreshold Value=\"1\"/>"
    "</SystemCollector>",
    "exclude each other", "/FlushThreshold", "Remove", "", FALSE, 0 },
  { "<SystemCollector Id=\"X\" Base=\"SCC\"/>", "has the Id “SCC”", "/@Base", "“SC”", "", TRUE,
    0xc5580701 },
  { "<SystemProvider Id=\"X\"><Keywords/></SystemProvider>", "<Keywords> lacks <Keyword>",
    "/Keywords", "Add <Keyword>", "", FALSE, 0xc5580701 },
  { "<SystemProvider Id=\"X\"><Stacks/></SystemProvider>", "<Stacks> is empty", "/Stacks", "", "",
    FALSE, 0xc5580701 },
  { "<SystemProvider Id=\"X\"><Keywords><Keyword Value=\"SampledProfle\"/></Keywords>"
    "</SystemProvider>",
    "no Keyword “SampledProfle”", "/Keyword/@Value", "“SampledProfile”", "keyword", FALSE,
    0xc5580701 },
  { "<SystemProvider Id=\"X\"><Keywords><Keyword Value=\"Nosuch\" Strict=\"true\"/></Keywords>"
    "</SystemProvider>",
    "no Keyword “Nosuch”", "/Keyword/@Value", "", "keyword", TRUE, 0xc5580701 },
  { "<SystemProvider Id=\"X\"><Keywords><Keyword Value=\"DPC\"/><Keyword Value=\"DPC\"/></Keywords>"
    "</SystemProvider>",
    "stands in this list already", "/Keyword/@Value", "Remove", "", FALSE, 0xc5580701 },
  { "<SystemProvider Id=\"X\"><Keywords><Keyword Value=\"DPC\"/><CustomKeyword Value=\"12\"/>"
    "</Keywords></SystemProvider>",
    "CustomKeyword cannot be “12”", "/CustomKeyword/@Value", "0x12", "0x", TRUE, 0xc5580701 },
  { "<SystemProvider Id=\"X\"><PoolTags><PoolTag Value=\"abcde\"/></PoolTags></SystemProvider>",
    "PoolTag cannot be", "/PoolTag/@Value", "1 to 4", "4", TRUE, 0xc5580701 },
  { "<SystemProvider Id=\"X\"><CaptureStateOnStart><Keyword Value=\"CSwitch\"/>"
    "</CaptureStateOnStart></SystemProvider>",
    "lacks the attribute “RundownFlag”", "/Keyword/@RundownFlag", "Add", "Start", FALSE,
    0xc5580701 },
  { "<EventProvider Id=\"X\" Name=\"n\" Level=\"256\"/>", "Level “256” is out of range", "/@Level",
    "0 to 255", "255", TRUE, 0xc5580701 },
  { "<EventProvider Id=\"X\" Name=\"n\" CaptureStateOnly=\"1\"><Keywords><Keyword Value=\"1\"/>"
    "</Keywords></EventProvider>",
    "only the state is captured", "/Keywords", "Remove", "", FALSE, 0xc5581018 },
  { "<EventProvider Id=\"X\" Name=\"n\"><EventNameFilters FilterIn=\"true\" Operation=\"Remove\"/>"
    "</EventProvider>",
    "no Operation “Remove”", "/EventNameFilters/@Operation", "Set or Add", "Set", TRUE,
    0xc5582009 },
  { "<EventProvider Id=\"X\" Name=\"n\" ProcessExeFilter=\"a\"/><EventProvider Id=\"Y\" Name=\"n\" "
    "ProcessExeFilter=\"b\"/>",
    "has a ProcessExeFilter already", "/@ProcessExeFilter", "", "", FALSE, 0xc5582006 },
  { "<EventProvider Id=\"X\" Name=\"n\"><CaptureStateOnSave Timeout=\"never\"><Keyword "
    "Value=\"1\"/>"
    "</CaptureStateOnSave></EventProvider>",
    "Timeout cannot be “never”", "/@Timeout", "infinite", "4294967", TRUE, 0xc5580701 },
  { "some text", "text in <Profiles>: “some”", "/Profiles", "comment", "", FALSE, 0xc5580701 },
};

static void
test_every_fault_has_place_path_allowed_and_advice (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text
          = g_strconcat (FILE_HEAD SC EC "\n", rows[i].line, "\n" SP GOOD FILE_TAIL, NULL);
      g_autoptr (WprLibrary) library = read_library (text, strlen (text));
      const WprFault *fault = find_fault (library, rows[i].what);
      if (fault == NULL)
        fail_msg ("%s: not found", rows[i].line);
      if (fault->line != 2 || fault->column == 0 || strstr (fault->path, rows[i].path) == NULL
          || strstr (fault->advice, rows[i].advice) == NULL
          || strstr (fault->allowed, rows[i].allowed) == NULL || fault->is_error != rows[i].is_error
          || fault->wpr_number != rows[i].number || !fault->is_refused)
        fail_msg ("%s: %u:%u %s | %s | %s | %d %x", rows[i].line, fault->line, fault->column,
                  fault->path, fault->advice, fault->allowed, fault->is_error, fault->wpr_number);
    }
}

static void
test_all_faults_are_told_in_the_order_of_the_text (void **state)
{
  g_autoptr (GString) text = g_string_new (FILE_HEAD SC EC);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_string_append_printf (text, "\n%s", rows[i].line);
  g_string_append (text, SP GOOD FILE_TAIL);
  g_autoptr (WprLibrary) library = read_library (text->str, text->len);
  const GPtrArray *faults = wpr_library_get_faults (library);
  assert_true (faults->len >= G_N_ELEMENTS (rows));
  for (guint i = 1; i < faults->len; i++)
    {
      const WprFault *before = g_ptr_array_index (faults, i - 1),
                     *fault = g_ptr_array_index (faults, i);
      assert_true (before->line < fault->line
                   || (before->line == fault->line && before->column <= fault->column));
    }
}

static void
test_a_source_can_be_removed_with_its_faults (void **state)
{
  const char *text = FILE_HEAD SC "<Foo/>" SP GOOD FILE_TAIL;
  g_autoptr (WprLibrary) library = read_library (text, strlen (text));
  guint n = wpr_library_get_n_profiles (library);
  assert_non_null (find_fault (library, "Foo"));
  assert_true (wpr_library_remove (library, "test.wprp"));
  assert_int_equal (wpr_library_get_n_profiles (library), n - 1);
  assert_null (find_fault (library, "Foo"));
  assert_false (wpr_library_remove (library, "test.wprp"));
}

/* ---- a generator of broken files ---- */

/* What is done to one place of a good file. */
typedef enum
{
  BREAK_ATTRIBUTE_AWAY,
  BREAK_ATTRIBUTE_UNKNOWN,
  BREAK_VALUE,
  BREAK_ELEMENT_UNKNOWN,
  BREAK_ELEMENT_TWICE,
  N_BREAKS
} Break;

/* The n-th quoted value's span; FALSE behind the last. */
static gboolean
find_value (const char *text, guint index, gsize *from, gsize *to)
{
  const char *at = strstr (text, "<WindowsPerf");
  for (guint i = 0; (at = strchr (at, '"')) != NULL; i++)
    {
      const char *end = strchr (at + 1, '"');
      if (i == index)
        {
          *from = at - text;
          *to = end + 1 - text;
          return TRUE;
        }
      at = end + 1;
    }
  return FALSE;
}

static char *
break_file (const char *text, Break how, gsize from, gsize to)
{
  GString *broken = g_string_new (text);
  gsize name = from - 1; /* at the '=' */
  while (text[name - 1] != ' ')
    name--;
  gsize element = name;
  while (text[element] != '<')
    element--;
  if (how == BREAK_ATTRIBUTE_AWAY)
    g_string_erase (broken, name, to - name);
  else if (how == BREAK_ATTRIBUTE_UNKNOWN)
    g_string_insert (broken, name, "Zzz");
  else if (how == BREAK_VALUE)
    {
      g_string_erase (broken, from, to - from);
      g_string_insert (broken, from, "\": z\"");
    }
  else if (how == BREAK_ELEMENT_UNKNOWN)
    g_string_insert (broken, element, "<Zzz/>");
  else
    {
      const char *end = strstr (text + to, "/>"), *other = strchr (text + to, '>');
      if (end != NULL && end < other)
        g_string_insert_len (broken, end + 2 - text, text + element, end + 2 - text - element);
    }
  return g_string_free (broken, FALSE);
}

static const char whole[] = FILE_HEAD
    "<SystemCollector Id=\"SC\" Name=\"NT Kernel Logger\" Realtime=\"false\"><BufferSize "
    "Value=\"64\"/><Buffers Value=\"5\" PercentageOfTotalMemory=\"true\" "
    "MaximumBufferSpace=\"32\"/><MaximumFileSize Value=\"5\" FileMode=\"Circular\"/><FileMax "
    "Value=\"1\"/></SystemCollector><EventCollector Id=\"EC\" Name=\"E\"/><SystemProvider "
    "Id=\"SP\">"
    "<Keywords Operation=\"Set\"><Keyword Value=\"CSwitch\" Strict=\"true\"/></Keywords><Stacks>"
    "<Stack Value=\"CSwitch\"/></Stacks><PoolTags><PoolTag Value=\"abc*\"/></PoolTags>"
    "</SystemProvider><HardwareCounter Id=\"HC\"><SampledCounters><SampledCounter "
    "Value=\"InstructionRetired\" Interval=\"100000\"/></SampledCounters></HardwareCounter>"
    "<EventProvider Id=\"EP\" Name=\"n\" Level=\"5\" Stack=\"true\"><Keywords><Keyword "
    "Value=\"0x10\"/></Keywords><EventFilters FilterIn=\"true\"><EventId "
    "Value=\"7\"/></EventFilters>"
    "</EventProvider><Profile Id=\"P.Light.File\" Name=\"P\" Description=\"d\" "
    "LoggingMode=\"File\" "
    "DetailLevel=\"Light\" Default=\"true\"><Collectors><SystemCollectorId Value=\"SC\">"
    "<SystemProviderId Value=\"SP\"/><HardwareCounterId Value=\"HC\"/></SystemCollectorId>"
    "<EventCollectorId Value=\"EC\"><EventProviders Operation=\"Add\"><EventProviderId "
    "Value=\"EP\"/></EventProviders></EventCollectorId></Collectors></Profile>" FILE_TAIL;

/* Values that may be anything, and attributes nobody misses. */
static gboolean
is_harmless (const char *text, Break how, gsize from)
{
  gsize name = from - 1;
  while (text[name - 1] != ' ')
    name--;
  g_autofree char *attribute = g_strndup (text + name, from - 1 - name);
  gsize element = name;
  while (text[element] != '<')
    element--;
  g_autofree char *tag = g_strndup (text + element + 1, strcspn (text + element + 1, " "));
  const WprElement *found = wpr_schema_find (tag);
  const WprAttributeRule *rule = wpr_schema_attribute (found, attribute);
  if (how == BREAK_ATTRIBUTE_AWAY)
    return rule == NULL || !rule->is_required;
  g_autofree char *nearest = NULL;
  if (how == BREAK_VALUE)
    return rule == NULL || wpr_value_check (rule->type, ": z", &nearest);
  if (how != BREAK_ELEMENT_TWICE)
    return FALSE;
  /* Only empty elements are doubled; two of them where any number may stand are faults by Id or
   * Value only. */
  static const char *const many[]
      = { "EventProviderId", "EventId", "EventProviders", "EventCollector" };
  for (gsize i = 0; i < G_N_ELEMENTS (many); i++)
    if (g_str_equal (many[i], tag) && !g_str_equal (tag, "EventCollector"))
      return TRUE;
  const char *end = strstr (text + from, "/>"), *other = strchr (text + from, '>');
  return end == NULL || end > other;
}

static void
test_no_broken_file_of_the_generator_gets_by (void **state)
{
  g_autoptr (WprLibrary) good = read_library (whole, strlen (whole));
  assert_int_equal (wpr_library_get_faults (good)->len, 0);
  guint n_broken = 0;
  gsize from, to;
  for (guint i = 0; find_value (whole, i, &from, &to); i++)
    for (Break how = 0; how < N_BREAKS; how++)
      {
        if (is_harmless (whole, how, from))
          continue;
        g_autofree char *text = break_file (whole, how, from, to);
        g_autoptr (WprLibrary) library = read_library (text, strlen (text));
        const GPtrArray *faults = wpr_library_get_faults (library);
        if (faults->len == 0)
          fail_msg ("%d: %s", how, text + from - 20);
        for (guint j = 0; j < faults->len; j++)
          {
            const WprFault *fault = g_ptr_array_index (faults, j);
            assert_true (fault->line == 1 && fault->column > 0 && *fault->what != '\0');
          }
        n_broken++;
      }
  assert_true (n_broken > 150);
}

static void
test_dangling_ids_and_circles_are_faults_wherever_they_are (void **state)
{
  static const char *const definitions[] = {
    "<SystemCollector Id=\"A\" Base=\"B\"/><SystemCollector Id=\"B\" Base=\"A\"/>",
    "<SystemProvider Id=\"A\" Base=\"B\"/><SystemProvider Id=\"B\" Base=\"A\"/>",
    "<HardwareCounter Id=\"A\" Base=\"B\"/><HardwareCounter Id=\"B\" Base=\"A\"/>",
    "<EventProvider Id=\"A\" Name=\"a\" Base=\"B\"/><EventProvider Id=\"B\" Name=\"b\" "
    "Base=\"A\"/>",
    "<EventProvider Id=\"A\" Name=\"a\" Base=\"Nowhere\"/>",
    "<HardwareCounter Id=\"A\"><MicroArchitecturalConfigId Value=\"Nowhere\"/></HardwareCounter>",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (definitions); i++)
    {
      g_autofree char *text = g_strconcat (FILE_HEAD SC SP, definitions[i], GOOD FILE_TAIL, NULL);
      g_autoptr (WprLibrary) library = read_library (text, strlen (text));
      const WprFault *fault = find_fault (library, i < 4 ? "circle: A → B → A" : "“Nowhere”");
      if (fault == NULL)
        fail_msg ("%s", definitions[i]);
      assert_true (fault->is_error);
    }
}

static void
test_files_cut_at_every_byte_and_random_bytes_end_in_faults (void **state)
{
  for (gsize i = 0; i + 1 < sizeof whole; i++)
    {
      g_autoptr (WprLibrary) library = read_library (whole, i);
      assert_true (wpr_library_get_faults (library)->len > 0);
    }
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  for (guint i = 0; i < 500; i++)
    {
      g_autofree char *text = g_strdup (whole);
      for (guint j = g_rand_int_range (random, 1, 8); j > 0; j--)
        text[g_rand_int_range (random, 0, sizeof whole - 1)] = g_rand_int_range (random, 1, 128);
      g_autoptr (WprLibrary) library = read_library (text, sizeof whole - 1);
      g_autoptr (GBytes) noise = NULL;
      guint8 bytes[64];
      for (gsize j = 0; j < sizeof bytes; j++)
        bytes[j] = g_rand_int (random);
      noise = g_bytes_new (bytes, sizeof bytes);
      assert_false (wpr_library_add_bytes (library, noise, "noise.wprp", NULL));
    }
}

static void
test_the_reference_names_every_element_and_attribute (void **state)
{
  g_autofree char *text = wpr_profile_format_to_text ();
  g_autofree char *man = wpr_profile_format_to_man ();
  const WprElement *element;
  for (guint i = 0; (element = wpr_schema_get (i)) != NULL; i++)
    {
      g_autofree char *tag = g_strdup_printf ("\n<%s>", element->name);
      g_autofree char *roff = g_strdup_printf (".B <%s>", element->name);
      assert_non_null (strstr (text, tag));
      assert_non_null (strstr (man, roff));
      for (guint j = 0; j < element->n_attributes; j++)
        {
          g_autofree char *attribute = g_strdup_printf ("    %s=", element->attributes[j].name);
          assert_non_null (strstr (text, attribute));
        }
    }
  assert_non_null (strstr (text, "HiberRundown"));
  assert_non_null (strstr (text, "WakeEventInstrumentation"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_every_fault_has_place_path_allowed_and_advice),
    cmocka_unit_test (test_all_faults_are_told_in_the_order_of_the_text),
    cmocka_unit_test (test_a_source_can_be_removed_with_its_faults),
    cmocka_unit_test (test_no_broken_file_of_the_generator_gets_by),
    cmocka_unit_test (test_dangling_ids_and_circles_are_faults_wherever_they_are),
    cmocka_unit_test (test_files_cut_at_every_byte_and_random_bytes_end_in_faults),
    cmocka_unit_test (test_the_reference_names_every_element_and_attribute),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
