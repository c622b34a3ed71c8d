#include "web/home_page.h"

#include "web/addresses.h"
#include "web/local_path.h"
#include "web/template_engine.h"

namespace koya::web {

std::string RenderHome(const PageFrame& frame, const HomePage& page) {
  const bool is_closed = page.is_closed && !page.is_new;
  View view = FrameView(frame, is_closed ? SignInLink::kHidden : SignInLink::kShown);
  view.Text("host", page.host)
      .Flag("is_new", page.is_new)
      .Flag("is_closed", is_closed)
      .Flag("is_in_use", !page.is_new && !is_closed)
      .Text("first_run_path", std::string(kFirstRunAddress));
  return RenderTemplate("home", frame.language, view);
}

}  // namespace koya::web
