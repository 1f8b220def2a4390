/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The format for people, from the tables: `wpr -help profiles` and wprp(5). */
#include "config.h"
#include "profile/schema.h"
#include "wpr-profile.h"

typedef struct
{
  GString *text;
  gboolean is_man;
} WprReference;

/* Text of people's in roff: a '\' and a leading '.' or ''' would be commands. */
static void
wpr_reference_add (WprReference *reference, const char *text)
{
  for (const char *at = text; *at != '\0'; at++)
    if (reference->is_man && *at == '\\')
      g_string_append (reference->text, "\\e");
    else if (reference->is_man && *at == '-')
      g_string_append (reference->text, "\\-");
    else
      g_string_append_c (reference->text, *at);
}

static void
wpr_reference_add_head (WprReference *reference, const WprElement *element)
{
  g_string_append (reference->text, reference->is_man ? ".TP\n.B <" : "\n<");
  wpr_reference_add (reference, element->name);
  g_string_append_c (reference->text, '>');
  if (!g_str_equal (element->name, element->type))
    {
      g_string_append (reference->text, " (");
      wpr_reference_add (reference, element->type);
      g_string_append_c (reference->text, ')');
    }
  g_string_append (reference->text, reference->is_man ? "\n" : "\n    ");
  wpr_reference_add (reference, element->summary);
  g_string_append_c (reference->text, '\n');
}

static void
wpr_reference_begin_line (WprReference *reference, const char *what)
{
  g_string_append (reference->text, reference->is_man ? ".br\n" : "    ");
  wpr_reference_add (reference, what);
}

static void
wpr_reference_add_attribute (WprReference *reference, const WprAttributeRule *rule)
{
  g_autofree char *allowed = wpr_value_describe (rule->type);
  wpr_reference_begin_line (reference, rule->name);
  wpr_reference_add (reference, "=\"\": ");
  wpr_reference_add (reference, allowed);
  if (rule->type->unit != NULL)
    g_string_append_printf (reference->text, " (%s)", rule->type->unit);
  if (rule->fallback != NULL && !rule->is_required)
    {
      wpr_reference_add (reference, "; else ");
      wpr_reference_add (reference, rule->fallback);
    }
  wpr_reference_add (reference, rule->is_required ? "; required\n" : "\n");
}

static void
wpr_reference_add_count (WprReference *reference, const WprChildRule *rule)
{
  g_string_append_printf (reference->text, "<%s>", rule->element->name);
  if (!g_str_equal (rule->element->name, rule->element->type))
    g_string_append_printf (reference->text, " (%s)", rule->element->type);
  if (rule->least == 0 && rule->most == 1)
    wpr_reference_add (reference, " at most once");
  else if (rule->most == G_MAXUINT)
    wpr_reference_add (reference, rule->least == 0 ? " any number" : " once or more");
  else if (rule->least != rule->most)
    g_string_append_printf (reference->text, " %u to %u times", rule->least, rule->most);
}

static void
wpr_reference_add_children (WprReference *reference, const WprElement *element)
{
  if (element->n_children == 0)
    return;
  wpr_reference_begin_line (reference, element->any_order ? "Holds, in any order, at least one of: "
                                                          : "Holds: ");
  for (guint i = 0; i < element->n_children; i++)
    {
      wpr_reference_add (reference, i > 0 ? ", " : "");
      wpr_reference_add_count (reference, &element->children[i]);
    }
  g_string_append_c (reference->text, '\n');
}

static void
wpr_reference_add_elements (WprReference *reference)
{
  const WprElement *element;
  for (guint i = 0; (element = wpr_schema_get (i)) != NULL; i++)
    {
      wpr_reference_add_head (reference, element);
      for (guint j = 0; j < element->n_attributes; j++)
        wpr_reference_add_attribute (reference, &element->attributes[j]);
      wpr_reference_add_children (reference, element);
    }
}

static void
wpr_reference_add_names (WprReference *reference, const char *title, const char *type_name,
                         gsize size)
{
  const WprValueType *type = wpr_value_type_find (type_name, size);
  g_string_append_printf (reference->text, reference->is_man ? ".SH %s\n" : "\n%s\n    ", title);
  for (guint i = 0;; i++)
    {
      g_autofree char *name = wpr_value_get (type, i);
      if (name == NULL)
        break;
      g_string_append_printf (reference->text, "%s%s", i > 0 ? ", " : "", name);
      if (i % 8 == 7)
        g_string_append (reference->text, reference->is_man ? "\n" : "\n    ");
    }
  g_string_append_c (reference->text, '\n');
}

static const char *const rules[] = {
  "A profile file is XML in UTF-8 or UTF-16 with the elements below, without a namespace and "
  "without a document type. Attributes may stand in any order, elements in the order given here. "
  "Values are case-sensitive.",
  "A variant of a profile has the Id Name.DetailLevel.LoggingMode, for example CPU.Verbose.File. "
  "Where the detail level or logging mode asked for is missing, the other one is recorded, and it "
  "is said.",
  "Base takes what another element of the same kind has, of the same file or built in, and goes on "
  "from there. Operation says what a list does to what is there already: Set replaces it, Add adds "
  "to it, Remove takes away from it.",
  "Several profiles are recorded together: collectors of one name become one with the largest "
  "buffers asked for, keywords are united. Where profiles disagree it is said.",
  "What this computer or this version cannot record is left out and said; the rest is recorded, "
  "unless Strict=\"true\" stands there. \"wpr -validate FILE\" lists everything that is wrong with "
  "a file, with -strict also what Windows Performance Recorder would refuse it for.",
};

static char *
wpr_schema_write (gboolean is_man)
{
  WprReference reference = { g_string_new (NULL), is_man };
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      g_string_append (reference.text, i == 0 ? "" : is_man ? ".PP\n" : "\n");
      wpr_reference_add (&reference, rules[i]);
      g_string_append_c (reference.text, '\n');
    }
  g_string_append (reference.text, is_man ? ".SH ELEMENTS\n" : "\nELEMENTS\n");
  wpr_reference_add_elements (&reference);
  wpr_reference_add_names (&reference, "KEYWORDS", "keyword", 7);
  wpr_reference_add_names (&reference, "STACKS", "stack", 5);
  return g_string_free (reference.text, FALSE);
}

char *
wpr_profile_format_to_text (void)
{
  return wpr_schema_write (FALSE);
}

char *
wpr_profile_format_to_man (void)
{
  g_autofree char *body = wpr_schema_write (TRUE);
  return g_strconcat (".\\\" SPDX-License-Identifier: LGPL-2.1-or-later\n"
                      ".\\\" Made from the tables in core/profile/schema.c; do not edit.\n"
                      ".TH WPRP 5 \"\" \"Performance Recorder " WPR_VERSION "\"\n"
                      ".SH NAME\nwprp \\- profiles of Performance Recorder\n.SH DESCRIPTION\n",
                      body, ".SH SEE ALSO\n.BR wpr (1)\n", NULL);
}
