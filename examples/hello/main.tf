# Uses the module that `make run` tells you to publish.
module "greeting" {
  source  = "127.0.0.1:8443/demo/greeting/local"
  version = "~> 1.0"
  name    = "world"
}

resource "terraform_data" "greeting" {
  input = module.greeting.greeting
}

output "greeting" {
  value = module.greeting.greeting
}
