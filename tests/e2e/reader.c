/* SPDX-License-Identifier: GPL-3.0-or-later */
/* org.a11y.atspi.* as calls. */
#include "reader.h"

#define ANSWER_MS 3000 /* of one question */
#define REGISTRY "org.a11y.atspi.Registry"
#define ROOT "/org/a11y/atspi/accessible/root"
#define NOBODY "/org/a11y/atspi/null"
#define ACCESSIBLE "org.a11y.atspi.Accessible"
#define ACTION "org.a11y.atspi.Action"
#define TEXT "org.a11y.atspi.Text"

struct _AtspiAccessible
{
  GObject parent_instance;
  char *program, *path;
};

G_DEFINE_FINAL_TYPE (AtspiAccessible, atspi_accessible, G_TYPE_OBJECT)

static GDBusConnection *bus; /* for as long as the program lives */

static void
atspi_accessible_finalize (GObject *object)
{
  AtspiAccessible *self = ATSPI_ACCESSIBLE (object);
  g_free (self->program);
  g_free (self->path);
  G_OBJECT_CLASS (atspi_accessible_parent_class)->finalize (object);
}

static void
atspi_accessible_class_init (AtspiAccessibleClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = atspi_accessible_finalize;
}

static void
atspi_accessible_init (AtspiAccessible *self)
{
}

static AtspiAccessible *
accessible_new (const char *program, const char *path)
{
  AtspiAccessible *self = g_object_new (ATSPI_TYPE_ACCESSIBLE, NULL);
  self->program = g_strdup (program);
  self->path = g_strdup (path);
  return self;
}

void
atspi_init (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusConnection) session = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, &error);
  g_autoptr (GVariant) answer = session ? g_dbus_connection_call_sync (
                                    session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus",
                                    "GetAddress", NULL, G_VARIANT_TYPE ("(s)"), 0, -1, NULL, &error)
                                        : NULL;
  const char *address = NULL;
  if (answer != NULL)
    g_variant_get (answer, "(&s)", &address);
  if (address != NULL)
    bus = g_dbus_connection_new_for_address_sync (
        address,
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
            | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
        NULL, NULL, &error);
  if (bus == NULL)
    g_error ("no accessibility bus: %s", error ? error->message : "no address");
}

/* The answer of one question, of that type; NULL if there is none. Free with g_variant_unref. */
static GVariant *
ask (const char *program, const char *path, const char *interface, const char *method,
     GVariant *arguments, const char *type)
{
  return g_dbus_connection_call_sync (bus, program, path, interface, method, arguments,
                                      G_VARIANT_TYPE (type), G_DBUS_CALL_FLAGS_NO_AUTO_START,
                                      ANSWER_MS, NULL, NULL);
}

static GVariant *
ask_of (AtspiAccessible *self, const char *interface, const char *method, GVariant *arguments,
        const char *type)
{
  return ask (self->program, self->path, interface, method, arguments, type);
}

static GVariant *
get_property (AtspiAccessible *self, const char *interface, const char *name)
{
  g_autoptr (GVariant) answer = ask_of (self, "org.freedesktop.DBus.Properties", "Get",
                                        g_variant_new ("(ss)", interface, name), "(v)");
  GVariant *value = NULL;
  if (answer != NULL)
    g_variant_get (answer, "(v)", &value);
  return value;
}

static char *
get_words (AtspiAccessible *self, const char *name)
{
  g_autoptr (GVariant) value = get_property (self, ACCESSIBLE, name);
  return value != NULL && g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
             ? g_variant_dup_string (value, NULL)
             : NULL;
}

static int
get_count (AtspiAccessible *self, const char *interface, const char *name)
{
  g_autoptr (GVariant) value = get_property (self, interface, name);
  return value != NULL && g_variant_is_of_type (value, G_VARIANT_TYPE_INT32)
             ? g_variant_get_int32 (value)
             : -1;
}

static gboolean
has_interface (AtspiAccessible *self, const char *interface)
{
  g_autoptr (GVariant) answer = ask_of (self, ACCESSIBLE, "GetInterfaces", NULL, "(as)");
  g_autofree const char **all = NULL;
  if (answer != NULL)
    g_variant_get (answer, "(^a&s)", &all);
  return all != NULL && g_strv_contains (all, interface);
}

GPtrArray *
atspi_accessible_get_children (AtspiAccessible *self)
{
  GPtrArray *children = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GVariant) answer = ask_of (self, ACCESSIBLE, "GetChildren", NULL, "(a(so))");
  g_autoptr (GVariantIter) all = NULL;
  const char *program, *path;
  if (answer == NULL)
    return children;
  g_variant_get (answer, "(a(so))", &all);
  while (g_variant_iter_next (all, "(&s&o)", &program, &path))
    if (!g_str_equal (path, NOBODY))
      g_ptr_array_add (children, accessible_new (program, path));
  return children;
}

AtspiAccessible *
atspi_accessible_get_first_child (AtspiAccessible *self)
{
  g_autoptr (GPtrArray) children = atspi_accessible_get_children (self);
  return children->len > 0 ? g_object_ref (children->pdata[0]) : NULL;
}

gboolean
atspi_accessible_count_children (AtspiAccessible *self, guint *count)
{
  int found = get_count (self, ACCESSIBLE, "ChildCount");
  *count = (guint)MAX (found, 0);
  return found >= 0;
}

static guint
get_pid (const char *program)
{
  g_autoptr (GVariant) answer
      = ask ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
             "GetConnectionUnixProcessID", g_variant_new ("(s)", program), "(u)");
  guint32 pid = 0;
  if (answer != NULL)
    g_variant_get (answer, "(u)", &pid);
  return pid;
}

AtspiAccessible *
atspi_find_application (guint pid)
{
  g_autoptr (AtspiAccessible) desktop = accessible_new (REGISTRY, ROOT);
  g_autoptr (GPtrArray) programs = atspi_accessible_get_children (desktop);
  for (guint i = 0; i < programs->len; i++)
    {
      AtspiAccessible *program = programs->pdata[i];
      guint windows;
      if (get_pid (program->program) == pid && atspi_accessible_count_children (program, &windows)
          && windows > 0)
        return g_object_ref (program);
    }
  return NULL;
}

AtspiRole
atspi_accessible_get_role (AtspiAccessible *self)
{
  g_autoptr (GVariant) answer = ask_of (self, ACCESSIBLE, "GetRole", NULL, "(u)");
  guint32 role = ATSPI_ROLE_INVALID;
  if (answer != NULL)
    g_variant_get (answer, "(u)", &role);
  return (AtspiRole)role;
}

gboolean
atspi_accessible_get_place (AtspiAccessible *self, int *x, int *width)
{
  g_autoptr (GVariant) answer
      = ask_of (self, "org.a11y.atspi.Component", "GetExtents",
                g_variant_new ("(u)", (guint32)ATSPI_COORD_TYPE_WINDOW), "((iiii))");
  if (answer == NULL)
    return FALSE;
  g_variant_get (answer, "((iiii))", x, NULL, width, NULL);
  return *width > 0;
}

/* Two words of 32 bits, the lower first. */
gboolean
atspi_accessible_has_state (AtspiAccessible *self, AtspiStateType state)
{
  g_autoptr (GVariant) answer = ask_of (self, ACCESSIBLE, "GetState", NULL, "(au)");
  g_autoptr (GVariant) words = answer != NULL ? g_variant_get_child_value (answer, 0) : NULL;
  gsize n = 0;
  const guint32 *bits
      = words != NULL ? g_variant_get_fixed_array (words, &n, sizeof (guint32)) : NULL;
  return (gsize)state / 32 < n && (bits[state / 32] >> (state % 32) & 1) != 0;
}

char *
atspi_accessible_get_role_name (AtspiAccessible *self)
{
  g_autoptr (GVariant) answer = ask_of (self, ACCESSIBLE, "GetRoleName", NULL, "(s)");
  char *name = NULL;
  if (answer != NULL)
    g_variant_get (answer, "(s)", &name);
  return name;
}

char *
atspi_accessible_get_name (AtspiAccessible *self)
{
  return get_words (self, "Name");
}

char *
atspi_accessible_get_description (AtspiAccessible *self)
{
  return get_words (self, "Description");
}

/* GTK 4.8 answers nothing to an end of -1. */
char *
atspi_accessible_get_text (AtspiAccessible *self)
{
  int length = has_interface (self, TEXT) ? get_count (self, TEXT, "CharacterCount") : -1;
  g_autoptr (GVariant) answer
      = length >= 0 ? ask_of (self, TEXT, "GetText", g_variant_new ("(ii)", 0, length), "(s)")
                    : NULL;
  char *text = NULL;
  if (answer != NULL)
    g_variant_get (answer, "(s)", &text);
  return text;
}

gboolean
atspi_accessible_act (AtspiAccessible *self)
{
  g_autoptr (GVariant) answer
      = has_interface (self, ACTION)
            ? ask_of (self, ACTION, "DoAction", g_variant_new ("(i)", 0), "(b)")
            : NULL;
  gboolean done = FALSE;
  if (answer != NULL)
    g_variant_get (answer, "(b)", &done);
  return done;
}
